"""The ledger: which contents are merged, when, and what each contributed.

It changes in the transaction that changes the counts, so a content is counted exactly once.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import connections

from ingest.lifecycle import Merged
from ingest.merge.sql import load


def find(alias: str, contents: Sequence[bytes]) -> dict[bytes, Merged]:
    """Return the entries of those contents (by their hashes) that are merged."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("find_merged.sql"), {"contents": list(contents)})
        return {bytes(content): Merged(merged_at, added) for content, merged_at, added in cursor.fetchall()}


def uploads(alias: str, ids: Sequence[UUID]) -> set[UUID]:
    """Return those uploads that are merged."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT upload FROM ledger WHERE upload = ANY (%s)", [list(ids)])
        return {row[0] for row in cursor.fetchall()}
