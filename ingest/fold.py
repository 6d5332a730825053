"""Merge a batch into a locale's permanent tables: one transaction, the ledger with it.

Invariant 3 rests here: counts and ledger change together or not at all, and contents that the
ledger knows are left out. Invariant 6 as well: every statement adds, takes the least or the greatest,
so any order and any batching give the same tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import polars as pl
from django.db import connections, transaction

from ingest.intern import Interned
from ingest.sql import load

#: First key of the advisory lock that lets one fold at a time into a locale's tables.
FOLD_LOCK = 0x4D4D  # "MM"


@dataclass(frozen=True)
class Member:
    """An upload of a batch: `no` is its number in the frames."""

    no: int
    upload: UUID
    content_hash: bytes
    sender: str
    received_day: int


@dataclass(frozen=True)
class Merged:
    """What the ledger says of an upload: when it was merged and what it brought."""

    merged_at: datetime
    brought: dict[str, int]


def already_merged(alias: str, contents: Sequence[bytes]) -> dict[bytes, Merged]:
    """Return those contents (by their hashes) whose counts are in the tables already."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("find_merged.sql"), {"contents": list(contents)})
        return {bytes(content): Merged(merged_at, brought) for content, merged_at, brought in cursor.fetchall()}


def fold(alias: str, batch: Sequence[Member], interned: Interned) -> dict[bytes, Merged]:
    """Add a batch to the permanent tables; returns the ledger's entries for all of its contents.

    What another worker merged in the meantime is left out of the counts and returned as well.
    """
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [FOLD_LOCK])
        known = already_merged(alias, [member.content_hash for member in batch])
        fresh = [member for member in batch if member.content_hash not in known]
        if fresh:
            _copy_batch(cursor, fresh, interned)
            for step in ("fold_creatures.sql", "fold_positions.sql", "fold_loot.sql", "fold_names.sql"):
                cursor.execute(load(step))
            cursor.execute(load("fold_ledger.sql"))
            known |= {bytes(content): Merged(merged_at, brought) for content, merged_at, brought in cursor.fetchall()}
    return known


#: The staging tables and their columns in the order of `sql/stage_tables.sql`.
_COPY = {
    "staged_upload": "COPY staged_upload FROM STDIN (FORMAT csv)",
    "staged_creature": "COPY staged_creature FROM STDIN (FORMAT csv)",
    "staged_position": "COPY staged_position FROM STDIN (FORMAT csv)",
    # Outside instances the difficulty is '', which CSV would take for null.
    "staged_loot": "COPY staged_loot FROM STDIN (FORMAT csv, FORCE_NOT_NULL (difficulty))",
    "staged_drop": "COPY staged_drop FROM STDIN (FORMAT csv, FORCE_NOT_NULL (difficulty))",
}


def _copy_batch(cursor: Any, batch: Sequence[Member], interned: Interned) -> None:
    """COPY a batch into its staging tables."""
    cursor.execute(load("stage_tables.sql"))
    members = pl.DataFrame(
        {
            "no": pl.Series([member.no for member in batch], dtype=pl.Int32),
            "upload": [str(member.upload) for member in batch],
            "content_hash": ["\\x" + member.content_hash.hex() for member in batch],
            "uploader": [interned.uploaders[member.sender] for member in batch],
            "received_day": [member.received_day for member in batch],
        }
    )
    _copy(cursor, "staged_upload", members)
    for table, frame in (
        ("staged_creature", interned.creatures),
        ("staged_position", interned.positions),
        ("staged_loot", interned.loot),
        ("staged_drop", interned.drops),
    ):
        _copy(cursor, table, frame.join(members, on="no", how="semi"))


def _copy(cursor: Any, table: str, frame: pl.DataFrame) -> None:
    with cursor.copy(_COPY[table]) as copy:
        copy.write(frame.write_csv(include_header=False).encode())
