"""The baseline: merged counts of uploads whose documents expired, in the schema `baseline` of a locale's database.

It holds the sum of exactly those uploads that its own ledger names. All of them are in the live tables, too. A rebuild
begins with a copy of it, and nothing is ever subtracted from it. `ingest.maintenance.baseline` adds to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connections
from psycopg import sql

SCHEMA = "baseline"


def count(alias: str) -> int:
    """Return how many uploads the baseline holds."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM baseline.ledger")
        return int(cursor.fetchone()[0])


def held(cursor: Any, contents: Sequence[bytes]) -> set[bytes]:
    """Return those contents (by their hashes) that the baseline holds."""
    cursor.execute("SELECT content_hash FROM baseline.ledger WHERE content_hash = ANY (%s)", [list(contents)])
    return {bytes(row[0]) for row in cursor.fetchall()}


def copy(cursor: Any, table: str, into: str) -> None:
    """Copy the rows of a table into the table of the same name and columns in schema `into`."""
    cursor.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped "
        "AND attgenerated = '' ORDER BY attnum",
        [f"{SCHEMA}.{table}"],
    )
    columns = sql.SQL(", ").join(sql.Identifier(row[0]) for row in cursor.fetchall())
    cursor.execute(
        sql.SQL("INSERT INTO {into} ({columns}) SELECT {columns} FROM {baseline}").format(
            into=sql.Identifier(into, table), columns=columns, baseline=sql.Identifier(SCHEMA, table)
        )
    )
