"""The rebuild tables: a second set of a locale's merged tables, in the schema `rebuild`, and their swap.

Merged counts are computed there again. The dictionaries stay shared, so that ids and addresses stay. Spawn points are
not among them: the swap notes what differs, and publishing estimates them as ever.
"""

from __future__ import annotations

import logging
import time
from typing import Any, NamedTuple

from django.db import OperationalError, connections, transaction
from psycopg import sql

from ingest.maintenance import baseline_tables
from ingest.maintenance.sql import load
from ingest.merge import hot_tables

logger = logging.getLogger(__name__)

SCHEMA = "rebuild"
#: The schema of the old tables within the swap's transaction.
_REPLACED = "replaced"
#: The merged counts and their ledger, with their keys. These are swapped.
KEYS = {
    "creature": ("id",),
    "creature_name": ("creature", "name"),
    "habitat": ("subject", "zone", "floor"),
    "loot": ("source", "zone", "floor", "difficulty"),
    "item_drop": ("source", "item", "zone", "floor", "difficulty"),
    "ledger": ("content_hash",),
}
#: What a fold writes besides. The live ones change at the swap.
_BESIDES = ("named_creature", "stale_spawns", "changed_count")
#: Shorter than PostgreSQL's deadlock_timeout (1 s): the swap gives up its locks before others fail, and tries again.
LOCK_TIMEOUT_MS = 500
SWAP_TRIES = 120
SWAP_PAUSE_S = 0.5


class Outdated(Exception):
    """The rebuild tables were created before the live ones changed their columns."""


class Busy(Exception):
    """The swap could not lock the tables: readers left no gap."""


class Difference(NamedTuple):
    """How many rows only the live table has, only the rebuilt one, or both with other values."""

    vanish: int
    appear: int
    change: int


def exist(alias: str) -> bool:
    """Return whether a rebuild of this locale was begun and not finished."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT to_regclass('rebuild.ledger') IS NOT NULL")
        return bool(cursor.fetchone()[0])


def create(alias: str) -> int:
    """Create the tables with all that the live ones have (indexes of the same names, privileges) from the baseline.

    Return how many uploads the baseline holds.
    """
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SET LOCAL search_path TO public")
        cursor.execute("DROP SCHEMA IF EXISTS rebuild CASCADE")
        cursor.execute("CREATE SCHEMA rebuild")
        for table in (*KEYS, *_BESIDES):
            _create_like(cursor, table)
        hot_tables.create(cursor, SCHEMA)
        for table in KEYS:
            baseline_tables.copy(cursor, table, SCHEMA)
        cursor.execute(load("rebuild_names.sql"))
        cursor.execute(load("rebuild_owners.sql"))
    return baseline_tables.count(alias)


def resume(alias: str) -> int:
    """Go on with the tables of an interrupted rebuild; return how many uploads they hold. Raises `Outdated`."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        for table in (*KEYS, *_BESIDES):
            columns = []
            for schema in ("public", SCHEMA):
                cursor.execute(load("rebuild_columns.sql"), {"table": f"{schema}.{table}"})
                columns.append(cursor.fetchone())
            if columns[0] != columns[1]:
                raise Outdated(table)
        # Uploads that were staged and not folded are read again.
        hot_tables.drop(cursor, SCHEMA)
        hot_tables.create(cursor, SCHEMA)
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
            # LIKE names indexes by a rule of its own; later migrations look for the names that earlier ones gave.
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
    """Compare the tables with the live ones, row by row; return those that differ."""
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


def note_differences(alias: str) -> None:
    """Note what is to be published again after the swap, instead of what the folds have noted."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SET LOCAL enable_nestloop = off")
        cursor.execute("TRUNCATE rebuild.stale_spawns, rebuild.changed_count")
        cursor.execute(load("rebuild_stale.sql"))


def analyze(alias: str) -> None:
    """Collect statistics for the planner before anybody reads the tables."""
    with connections[alias].cursor() as cursor:
        for table in KEYS:
            cursor.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(SCHEMA, table)))


def swap(alias: str) -> None:
    """Replace the live tables by the rebuild tables and drop the old ones. The caller holds the fold lock.

    One short transaction: readers wait some milliseconds. Raises `Busy` if readers leave no gap, and what the database
    raises if an object that can't be created again depends on an old table. In either case nothing has changed.
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
    cursor.execute(load("rebuild_swap_names.sql"))
    for statement in dependents:
        cursor.execute(statement)
    for table in KEYS:
        # Without CASCADE: whatever still depends on an old table stops the swap instead of vanishing with it.
        cursor.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(_REPLACED, table)))
    cursor.execute(sql.SQL("DROP SCHEMA {}").format(sql.Identifier(_REPLACED)))
    cursor.execute("DROP SCHEMA rebuild CASCADE")
