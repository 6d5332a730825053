"""What is merged of uploads whose documents are deleted from the archive: a third set of a locale's merged tables.

The schema `base` holds the sum of exactly those uploads that its own ledger names. A rebuild begins with a copy of it.
All of them are in the live tables, too. Nothing is ever taken out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db import connections, transaction
from psycopg import sql

from ingest.batch.columns import Unreadable
from ingest.batch.stage import stage_into
from ingest.maintenance import reread
from ingest.maintenance.sql import load
from ingest.merge import hot_tables
from ingest.merge.fold import fold_from
from ingest.models import Upload
from ingest.queue.worker import read

SCHEMA = "baseline"
#: Temporary tables of this session, in the shape of the hot ones.
_STAGED = "pg_temp"


def count(alias: str) -> int:
    """Return how many uploads are carried over."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM baseline.ledger")
        return int(cursor.fetchone()[0])


def held(cursor: Any, contents: Sequence[bytes]) -> set[bytes]:
    """Return those contents (by their hashes) that are carried over."""
    cursor.execute("SELECT content_hash FROM baseline.ledger WHERE content_hash = ANY (%s)", [list(contents)])
    return {bytes(row[0]) for row in cursor.fetchall()}


def copy(cursor: Any, table: str, into: str) -> None:
    """Copy the rows of a table into the one of the same name and columns in another schema."""
    cursor.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped "
        "AND attgenerated = '' ORDER BY attnum",
        [f"{SCHEMA}.{table}"],
    )
    columns = sql.SQL(", ").join(sql.Identifier(row[0]) for row in cursor.fetchall())
    cursor.execute(
        sql.SQL("INSERT INTO {into} ({columns}) SELECT {columns} FROM {base}").format(
            into=sql.Identifier(into, table), columns=columns, base=sql.Identifier(SCHEMA, table)
        )
    )


def carry_over(alias: str, uploads: Sequence[Upload], give_up: Callable[[Upload, Unreadable], None]) -> None:
    """Add merged uploads, read again from their documents: all in one transaction, each content once.

    `give_up` is told of those that can't be read; they are left out. Folds wait only while counts are added, not
    while documents are read.
    """
    hot_tables.with_whole_tables(alias, lambda: _carry_over(alias, uploads, give_up))


def _carry_over(alias: str, uploads: Sequence[Upload], give_up: Callable[[Upload, Unreadable], None]) -> None:
    with connections[alias].cursor() as cursor, reread.staging_room(alias, cursor):
        for batch in reread.batches(uploads):
            members, interned = read(alias, batch, reread.document, give_up)
            if interned is not None:
                with transaction.atomic(using=alias):
                    stage_into(cursor, _STAGED, members, interned)
        with transaction.atomic(using=alias):
            # A subtraction reckons with what is here, under the same lock.
            cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [hot_tables.FOLD_LOCK])
            hot_tables.use_ram_for_temporary(alias, cursor)
            cursor.execute(load("baseline_helpers.sql"))
            merged = fold_from(cursor, staged=_STAGED, into=SCHEMA)
            cursor.execute(load("baseline_ledger.sql"), {"uploads": list(merged)})
