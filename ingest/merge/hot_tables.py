"""The hot tables: what is staged and not merged yet, in RAM if the server has a tablespace for it.

Two sets of the same tables (schemas hot_0 and hot_1): workers fill one while the other is folded, so staging never
waits for a fold. The tables are interim (UNLOGGED). A crash of PostgreSQL empties them, a lost RAM disk breaks them.
Nothing in them is the only copy: broken tables are dropped and created again, and the sweep queues again what they
held.

Locks (`core.locks`): a worker that stages shares the lock of one set and takes no other. A fold holds FOLD, switches
workers to the other set, then takes the lock of its set alone. Creating the tables again takes FOLD and both sets.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connections, transaction

from core import locks
from core.database import ERRORS, sqlstate
from core.locks import Lock
from ingest.merge.sql import load

logger = logging.getLogger(__name__)

T = TypeVar("T")
SETS = (0, 1)
#: The schema of a session's temporary staging tables.
TEMPORARY = "pg_temp"
#: PostgreSQL's codes for a table that does not exist, and for one whose file is gone with the RAM disk.
_BROKEN = {"42P01", "58P01"}


def schema(number: int) -> str:
    """Return the schema of a set: `hot_0`."""
    return f"hot_{number}"


# --- creating and dropping --------------------------------------------------------------------------
def with_whole_tables(alias: str, action: Callable[[], T]) -> T:
    """Return what `action` returns. If hot tables are missing or broken, create them again and repeat it once."""
    try:
        return action()
    except ERRORS as error:
        if sqlstate(error) not in _BROKEN:
            raise
    create_again(alias)
    return action()


def create_again(alias: str) -> None:
    """Drop the hot tables of both sets, whatever state they are in, and create them empty."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        locks.wait_in_transaction(cursor, Lock.FOLD)
        for number in SETS:
            locks.wait_in_transaction(cursor, Lock.HOT_SET, number)
        if _are_whole(alias):
            return  # another worker was faster
        for number in SETS:
            drop(cursor, schema(number))
        # Workers drop and empty them later, so they must own them even if an operator's command creates them.
        cursor.execute(load("hot_owner.sql"), {"schema": schema(0)})
        where = _create(alias, cursor)
        cursor.execute("SELECT set_config('role', 'none', true)")
    logger.warning("The hot tables of %s were missing or broken and have been created again, %s.", alias, where)


def _create(alias: str, cursor: Any) -> str:
    """Create both sets in the RAM tablespace, or on disk if it can't be used; return where, for the log."""
    if settings.HOT_TABLESPACE:
        try:
            with transaction.atomic(using=alias):
                cursor.execute("SELECT set_config('default_tablespace', %s, true)", [settings.HOT_TABLESPACE])
                for number in SETS:
                    create(cursor, schema(number))
            return f"in the tablespace {settings.HOT_TABLESPACE}"
        except DatabaseError as error:
            logger.error(
                "The tablespace %s can't be used (%s). Is its folder gone? Restart PostgreSQL through "
                "deploy/postgres-guard. Until then the hot tables are on disk.",
                settings.HOT_TABLESPACE,
                str(error).strip(),
            )
            cursor.execute("SELECT set_config('default_tablespace', '', true)")
    for number in SETS:
        create(cursor, schema(number))
    return "on disk"


def _are_whole(alias: str) -> bool:
    try:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            for number in SETS:
                for table in ("upload", "creature", "position", "loot", "drop"):
                    cursor.execute(load("touch_table.sql", schema(number), f"staged_{table}"))
    except ERRORS as error:
        if sqlstate(error) in _BROKEN:
            return False
        raise
    return True


def create(cursor: Any, schema: str) -> None:
    """Create the staging tables of a schema that are missing."""
    cursor.execute(load("staging_tables.sql", schema))


def drop(cursor: Any, schema: str) -> None:
    """Drop the staging tables of a schema, also those whose files are gone."""
    cursor.execute(load("drop_staging_tables.sql", schema))


def create_temporary(cursor: Any) -> None:
    """Create staging tables of this session in the schema `TEMPORARY`, in the shape of the hot ones."""
    cursor.execute(load("temporary_tables.sql"))


def drop_temporary(cursor: Any) -> None:
    """Drop the staging tables of this session that exist."""
    cursor.execute(load("drop_temporary_tables.sql"))


@contextmanager
def temporary(alias: str, cursor: Any) -> Iterator[None]:
    """Have staging tables of this session for several transactions; dropped at the end.

    They are created in a transaction of their own, as that locks the hot tables.
    """
    with transaction.atomic(using=alias):
        use_ram_for_temporary(alias, cursor)
        drop_temporary(cursor)
        create_temporary(cursor)
    try:
        yield
    finally:
        # A lost connection has dropped them; in a broken transaction they were never there.
        with suppress(*ERRORS):
            drop_temporary(cursor)


def use_ram_for_temporary(alias: str, cursor: Any) -> None:
    """Put this transaction's temporary tables and sort files into the RAM tablespace, if the hot tables are there."""
    if settings.HOT_TABLESPACE and in_ram(alias):
        cursor.execute("SELECT set_config('temp_tablespaces', %s, true)", [settings.HOT_TABLESPACE])


# --- filling and folding ----------------------------------------------------------------------------
def lock_active_set(cursor: Any) -> int:
    """Return the set to fill, and keep it from being folded until this transaction ends.

    Holds the lock of one set at most: whoever creates the tables again waits for both.
    """
    number = _active_set(cursor)
    if not locks.try_shared_in_transaction(cursor, Lock.HOT_SET, number):
        # A fold has switched to the other set since, or the tables are being created again: wait for that. If a
        # second fold switches away from this set before the lock is held, that fold or the next merges what is staged.
        number = _active_set(cursor)
        locks.wait_shared_in_transaction(cursor, Lock.HOT_SET, number)
    return number


def _active_set(cursor: Any) -> int:
    cursor.execute("SELECT filling FROM hot_state")
    return int(cursor.fetchone()[0])


def begin_try(cursor: Any) -> int:
    """Count a fold before it begins, so that the death of its process counts, too; return how many failed before it.

    Under the fold lock, outside a transaction. A fold that succeeds resets the count.
    """
    cursor.execute("UPDATE hot_state SET tries = tries + 1 RETURNING tries - 1")
    return int(cursor.fetchone()[0])


def forget_try(alias: str) -> None:
    """Do not count a fold that failed for another reason than what is staged. An unavailable database is left alone."""
    connections[alias].close_if_unusable_or_obsolete()
    with suppress(*ERRORS), connections[alias].cursor() as cursor:
        cursor.execute("UPDATE hot_state SET tries = greatest(tries - 1, 0)")


# --- what they hold ---------------------------------------------------------------------------------
def staged(alias: str, uploads: Sequence[UUID]) -> set[UUID]:
    """Return those uploads that are in the hot tables."""

    def find() -> set[UUID]:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            cursor.execute(load("find_staged.sql"), {"uploads": list(uploads)})
            return {row[0] for row in cursor.fetchall()}

    return with_whole_tables(alias, find)


def size_bytes(alias: str) -> int:
    """Return how many bytes the hot tables of a locale take."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("hot_size.sql"))
        return int(cursor.fetchone()[0])


def in_ram(alias: str) -> bool | None:
    """Return whether the hot tables are in the RAM tablespace; None if there are no hot tables yet."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("hot_tablespace.sql"))
        spaces = {row[0] for row in cursor.fetchall()}
    return spaces == {settings.HOT_TABLESPACE} if spaces else None
