"""Add merged uploads to the baseline, before retention deletes their documents."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connections, transaction

from core import locks
from core.locks import Lock
from ingest.batch.read import OnUnreadable, batches, read
from ingest.batch.stage import stage_into
from ingest.maintenance.baseline_tables import SCHEMA
from ingest.maintenance.sql import load
from ingest.merge import hot_tables
from ingest.merge.fold import fold_from
from ingest.models import Upload


def add(alias: str, uploads: Sequence[Upload], on_unreadable: OnUnreadable) -> None:
    """Read merged uploads once more and add them to the baseline: all in one transaction, each content once.

    Uploads that can't be read are left out, and `on_unreadable` is called with the reason. Folds wait only while counts
    are added, not while documents are read.
    """
    hot_tables.with_whole_tables(alias, lambda: _add(alias, uploads, on_unreadable))


def _add(alias: str, uploads: Sequence[Upload], on_unreadable: OnUnreadable) -> None:
    with connections[alias].cursor() as cursor, hot_tables.temporary(alias, cursor):
        for batch in batches(uploads):
            members, interned = read(alias, batch, on_unreadable, skip_unavailable=True)
            if interned is not None:
                with transaction.atomic(using=alias):
                    stage_into(cursor, hot_tables.TEMPORARY, members, interned)
        with transaction.atomic(using=alias):
            # A subtraction relies on the baseline, under the same lock.
            locks.wait_in_transaction(cursor, Lock.FOLD)
            hot_tables.use_ram_for_temporary(alias, cursor)
            cursor.execute(load("baseline_tables.sql"))
            merged = fold_from(cursor, staged=hot_tables.TEMPORARY, into=SCHEMA)
            cursor.execute(load("baseline_ledger.sql"), {"uploads": list(merged)})
