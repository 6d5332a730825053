"""The hot tables: what is staged and not merged yet, in RAM where the server has a tablespace for it.

Two sets of the same tables (schemas hot_0 and hot_1) take turns: workers fill one while the other is
folded, so staging never waits for a fold. The tables are interim (UNLOGGED): a crash of PostgreSQL
empties them, a lost RAM disk breaks them. Nothing here is the only copy, so broken ones are dropped
and made again, and the sweep sends what they held back to the queue.

Locks (advisory, per locale's database), in this order: the fold lock, set 0, set 1, then tables. A stager shares one
set's lock and takes no other; a fold holds the fold lock and takes its set's alone, after it has turned new stagers to
the other set; making the tables again takes all three.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import DatabaseError, Error, connections, transaction

from ingest.merge.sql import load

logger = logging.getLogger(__name__)

T = TypeVar("T")
#: Django wraps what psycopg raises, but not in a COPY.
ERRORS = (Error, psycopg.Error)
SETS = (0, 1)
#: First keys of the advisory locks; the second is the set, 0 for the fold.
SET_LOCK = 0x4D48  # "MH"
FOLD_LOCK = 0x4D46  # "MF"
#: PostgreSQL's codes for a table that was never made, and one whose file is gone with the RAM disk.
_BROKEN = {"42P01", "58P01"}


def schema(number: int) -> str:
    """Return the schema of a set: `hot_0`."""
    return f"hot_{number}"


def _is_broken(error: BaseException) -> bool:
    code = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None)
    return code in _BROKEN


def with_whole_tables(alias: str, action: Callable[[], T]) -> T:
    """Return what `action` returns; where hot tables are missing or broken, make them again and repeat it once."""
    try:
        return action()
    except ERRORS as error:
        if not _is_broken(error):
            raise
    make_again(alias)
    return action()


def make_again(alias: str) -> None:
    """Drop the hot tables of both sets, whatever state they are in, and make them empty."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [FOLD_LOCK])
        for number in SETS:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [SET_LOCK, number])
        if _whole(alias):
            return  # another worker was faster
        for number in SETS:
            cursor.execute(load("drop_hot_tables.sql", schema(number)))
        # Workers drop and empty them later, so they must be theirs when a command of the operator makes them, too.
        cursor.execute(load("hot_owner.sql"), {"schema": schema(0)})
        place = _make_tables(alias, cursor)
        cursor.execute("SELECT set_config('role', 'none', true)")
    logger.warning("The hot tables of %s were missing or broken and have been made again, %s.", alias, place)


def _make_tables(alias: str, cursor: Any) -> str:
    """Make the tables in the RAM tablespace, or on disk where it can't be used; returns where."""
    if settings.HOT_TABLESPACE:
        try:
            with transaction.atomic(using=alias):
                cursor.execute("SELECT set_config('default_tablespace', %s, true)", [settings.HOT_TABLESPACE])
                for number in SETS:
                    cursor.execute(load("hot_tables.sql", schema(number)))
            return f"in the tablespace {settings.HOT_TABLESPACE}"
        except DatabaseError as error:
            logger.error(
                "The tablespace %s can't be used (%s). Is its folder gone? Restart PostgreSQL through "
                "deploy/postgres-guard. Until then the hot tables lie on disk.",
                settings.HOT_TABLESPACE,
                str(error).strip(),
            )
            cursor.execute("SELECT set_config('default_tablespace', '', true)")
    for number in SETS:
        cursor.execute(load("hot_tables.sql", schema(number)))
    return "on disk"


def _whole(alias: str) -> bool:
    try:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            for number in SETS:
                for table in ("upload", "creature", "position", "loot", "drop"):
                    cursor.execute(load("probe.sql", schema(number), f"staged_{table}"))
    except ERRORS as error:
        if _is_broken(error):
            return False
        raise
    return True


def use_ram_for_temporary(alias: str, cursor: Any) -> None:
    """Let this transaction's temporary tables and sort files lie in the RAM tablespace, if the hot tables do."""
    if settings.HOT_TABLESPACE and in_ram(alias):
        cursor.execute("SELECT set_config('temp_tablespaces', %s, true)", [settings.HOT_TABLESPACE])


def begin_filling(cursor: Any) -> int:
    """Return the set to fill, kept from being folded until this transaction ends.

    Holds one set's lock at most: whoever makes the tables again waits for both.
    """
    number = _filling(cursor)
    cursor.execute("SELECT pg_try_advisory_xact_lock_shared(%s, %s)", [SET_LOCK, number])
    if not cursor.fetchone()[0]:
        # A fold has turned to the other set since, or the tables are being made again: that is waited for. What is
        # staged into a set that another fold has just turned away from is merged by that fold or the next.
        number = _filling(cursor)
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [SET_LOCK, number])
    return number


def _filling(cursor: Any) -> int:
    cursor.execute("SELECT filling FROM hot_state")
    return int(cursor.fetchone()[0])


@contextmanager
def folding(alias: str) -> Iterator[bool]:
    """Hold the locale's fold lock, or tell that somebody else does; never waits."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, 0)", [FOLD_LOCK])
        mine = bool(cursor.fetchone()[0])
    try:
        yield mine
    finally:
        # A connection that is lost has taken the lock with it.
        with suppress(*ERRORS):
            if mine:
                with connections[alias].cursor() as cursor:
                    cursor.execute("SELECT pg_advisory_unlock(%s, 0)", [FOLD_LOCK])


def begin_try(cursor: Any) -> int:
    """Count a fold before it begins, so that its process's death is counted, too; returns how many failed before it.

    Under the fold lock, outside any transaction. The fold that succeeds sets the count back.
    """
    cursor.execute("UPDATE hot_state SET tries = tries + 1 RETURNING tries - 1")
    return int(cursor.fetchone()[0])


def forget_try(alias: str) -> None:
    """Count a fold no longer that failed by no fault of what is staged; a database that is away is left alone."""
    connections[alias].close_if_unusable_or_obsolete()
    with suppress(*ERRORS), connections[alias].cursor() as cursor:
        cursor.execute("UPDATE hot_state SET tries = greatest(tries - 1, 0)")


def staged(alias: str, uploads: Sequence[UUID]) -> set[UUID]:
    """Return those uploads that are in the hot tables."""

    def find() -> set[UUID]:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            cursor.execute(load("find_staged.sql"), {"uploads": list(uploads)})
            return {row[0] for row in cursor.fetchall()}

    return with_whole_tables(alias, find)


def size_bytes(alias: str) -> int:
    """Return how much the hot tables of a locale hold."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("hot_size.sql"))
        return int(cursor.fetchone()[0])


def in_ram(alias: str) -> bool | None:
    """Tell whether the hot tables lie in the RAM tablespace; None where there are none yet."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("hot_tablespace.sql"))
        spaces = {row[0] for row in cursor.fetchall()}
    return spaces == {settings.HOT_TABLESPACE} if spaces else None
