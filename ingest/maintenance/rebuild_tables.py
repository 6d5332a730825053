"""A second set of a locale's merged tables beside the live one, in the schema `rebuild`, and their swap.

Merged counts are made there anew; the dictionaries stay shared, so that ids and addresses stay. Spawn
points are not made here: the swap marks what differs, and publishing derives them as ever.
"""

from __future__ import annotations

import logging
import time
from typing import Any, NamedTuple

from django.db import OperationalError, connections, transaction
from psycopg import sql

from ingest.maintenance import baseline
from ingest.maintenance.sql import load
from ingest.merge.sql import load as load_merge

logger = logging.getLogger(__name__)

SCHEMA = "rebuild"
#: Where the old tables are for a moment, within the swap's transaction.
_REPLACED = "replaced"
#: The merged counts with their keys, and the ledger they belong to. These change places.
KEYS = {
    "creature": ("id",),
    "creature_name": ("creature", "name"),
    "habitat": ("subject", "zone", "floor"),
    "loot": ("source", "zone", "floor", "difficulty"),
    "item_drop": ("source", "item", "zone", "floor", "difficulty"),
    "ledger": ("content_hash",),
}
#: What a fold writes beside them: kept away from the live ones until the swap.
_HELPERS = ("named_creature", "stale_spawns", "changed_count")
#: Shorter than PostgreSQL's deadlock_timeout (1 s): the swap gives way before anybody is hurt, and tries again.
LOCK_TIMEOUT_MS = 500
SWAP_TRIES = 120
SWAP_PAUSE_S = 0.5


class Outdated(Exception):
    """The tables in schema `rebuild` were begun before the live ones changed their columns."""


class Busy(Exception):
    """The swap got no moment to itself."""


class Difference(NamedTuple):
    """How many rows of a table only the live or only the rebuilt one has, or both with other values."""

    vanish: int
    appear: int
    change: int


def exists(alias: str) -> bool:
    """Tell whether a rebuild of this locale was begun and not finished."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT to_regclass('rebuild.ledger') IS NOT NULL")
        return bool(cursor.fetchone()[0])


def create(alias: str) -> int:
    """Make the tables with everything the live ones have: indexes under the same names, privileges.

    They hold what is carried over of uploads whose documents are deleted; returns how many uploads that is.
    """
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SET LOCAL search_path TO public")
        cursor.execute("DROP SCHEMA IF EXISTS rebuild CASCADE")
        cursor.execute("CREATE SCHEMA rebuild")
        for table in (*KEYS, *_HELPERS):
            _create_like(cursor, table)
        cursor.execute(load_merge("hot_tables.sql", SCHEMA))
        for table in KEYS:
            baseline.copy(cursor, table, SCHEMA)
        cursor.execute(load("rebuild_names.sql"))
        cursor.execute(load("rebuild_owners.sql"))
    return baseline.count(alias)


def resume(alias: str) -> int:
    """Return how many uploads are in the tables already; raises `Outdated`."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        for table in (*KEYS, *_HELPERS):
            columns = []
            for schema in ("public", SCHEMA):
                cursor.execute(load("rebuild_columns.sql"), {"table": f"{schema}.{table}"})
                columns.append(cursor.fetchone())
            if columns[0] != columns[1]:
                raise Outdated(table)
        # What was staged and not folded is read again.
        cursor.execute(load_merge("drop_hot_tables.sql", SCHEMA))
        cursor.execute(load_merge("hot_tables.sql", SCHEMA))
        cursor.execute("SELECT count(*) FROM rebuild.ledger")
        return int(cursor.fetchone()[0])


def discard(alias: str) -> None:
    """Drop the tables; the live ones are not touched."""
    with connections[alias].cursor() as cursor:
        cursor.execute("DROP SCHEMA IF EXISTS rebuild CASCADE")


def _create_like(cursor: Any, table: str) -> None:
    new = sql.Identifier(SCHEMA, table)
    cursor.execute(
        sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING ALL EXCLUDING INDEXES)").format(
            new, sql.Identifier("public", table)
        )
    )
    cursor.execute(load("rebuild_indexes.sql"), {"table": table})
    for name, constraint, index in cursor.fetchall():
        if constraint:
            # LIKE names indexes by its own rule; later migrations look for the names they gave.
            cursor.execute(
                sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {}").format(new, sql.Identifier(name), sql.SQL(constraint))
            )
        else:
            before, _, behind = index.partition(f" ON public.{table} ")
            cursor.execute(f"{before} ON {SCHEMA}.{table} {behind}")
    cursor.execute("SELECT unnest(reloptions) FROM pg_class WHERE oid = to_regclass(%s)", [f"public.{table}"])
    for (option,) in cursor.fetchall():
        cursor.execute(sql.SQL("ALTER TABLE {} SET ({})").format(new, sql.SQL(option)))
    cursor.execute(load("rebuild_privileges.sql"), {"table": table})
    for privilege, role in cursor.fetchall():
        to = sql.Identifier(role) if role else sql.SQL("PUBLIC")
        cursor.execute(sql.SQL("GRANT {} ON {} TO {}").format(sql.SQL(privilege), new, to))


def differences(alias: str) -> dict[str, Difference]:
    """Compare the tables row by row with the live ones; those without a difference are left out."""
    found = {}
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SET LOCAL enable_nestloop = off")
        for table, key in KEYS.items():
            cursor.execute(
                sql.SQL(
                    "SELECT count(*) FILTER (WHERE n.{key} IS NULL), count(*) FILTER (WHERE o.{key} IS NULL), "
                    "count(*) FILTER (WHERE o.{key} IS NOT NULL AND n.{key} IS NOT NULL) "
                    "FROM {live} o FULL JOIN {new} n USING ({keys}) WHERE o IS DISTINCT FROM n"
                ).format(
                    key=sql.Identifier(key[0]),
                    live=sql.Identifier("public", table),
                    new=sql.Identifier(SCHEMA, table),
                    keys=sql.SQL(", ").join(map(sql.Identifier, key)),
                )
            )
            difference = Difference(*cursor.fetchone())
            if any(difference):
                found[table] = difference
    return found


def mark_differences(alias: str) -> None:
    """Note down what is to be published anew after the swap, in place of what the folds have marked."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SET LOCAL enable_nestloop = off")
        cursor.execute("TRUNCATE rebuild.stale_spawns, rebuild.changed_count")
        cursor.execute(load("rebuild_marks.sql"))


def analyze(alias: str) -> None:
    """Let the planner know the tables before anybody reads them."""
    with connections[alias].cursor() as cursor:
        for table in KEYS:
            cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(SCHEMA, table)))


def swap(alias: str) -> None:
    """Put the tables in the place of the live ones and drop those; the caller holds the locale's fold lock.

    One short transaction: readers wait for it some milliseconds. Raises `Busy` when readers leave no gap,
    and what the database raises when something depends on the old tables that can't be bound anew;
    in either case nothing has changed.
    """
    for _ in range(SWAP_TRIES):
        try:
            with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
                _swap(cursor)
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) != "55P03":  # lock_not_available
                raise
            time.sleep(SWAP_PAUSE_S)
        else:
            return
    raise Busy


def _swap(cursor: Any) -> None:
    tables = [f"public.{table}" for table in KEYS]
    cursor.execute("SET LOCAL search_path TO public")
    cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{LOCK_TIMEOUT_MS}ms"])
    names = sql.SQL(", ").join(sql.Identifier("public", table) for table in KEYS)
    cursor.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(names))
    cursor.execute(load("rebuild_dependents.sql"), {"tables": tables})
    dependents = [row[0] for row in cursor.fetchall()]
    cursor.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(_REPLACED)))
    for table in KEYS:
        cursor.execute(
            sql.SQL("ALTER TABLE {} SET SCHEMA {}").format(sql.Identifier("public", table), sql.Identifier(_REPLACED))
        )
        cursor.execute(sql.SQL("ALTER TABLE {} SET SCHEMA public").format(sql.Identifier(SCHEMA, table)))
    cursor.execute(load("rebuild_swap_rest.sql"))
    for statement in dependents:
        cursor.execute(statement)
    for table in KEYS:
        # Without CASCADE: whatever is still bound to an old table stops the swap instead of vanishing with it.
        cursor.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(_REPLACED, table)))
    cursor.execute(sql.SQL("DROP SCHEMA {}").format(sql.Identifier(_REPLACED)))
    cursor.execute("DROP SCHEMA rebuild CASCADE")
