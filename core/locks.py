"""Advisory locks in a locale's database: which there are, in which order they are taken, and how.

A session that needs several takes them in the order of `Lock`, then table and row locks; nobody waits in a circle.
A lock that is held by the session ends with it, one that is held by a transaction with that.

| lock      | who holds it                                                                          |
|-----------|---------------------------------------------------------------------------------------|
| REBUILD   | one rebuild of the locale, or one run of retention                                      |
| FOLD      | whoever changes merged counts: a fold, a bisection, a subtraction, the end of a rebuild |
| HOT_SET   | one for each set of hot tables: shared by whoever stages into it, alone by its fold    |
| PUBLISH   | whoever estimates spawn points, or swaps the tables that this reads                    |
| BUILD     | whoever builds published files                                                         |
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import Any

from django.db import connections

from core.database import ERRORS


class Lock(IntEnum):
    """First keys of PostgreSQL's advisory locks. The second key is the set for HOT_SET, else 0."""

    REBUILD = 0x4D52
    FOLD = 0x4D46
    HOT_SET = 0x4D48
    PUBLISH = 0x4D50
    BUILD = 0x4D44


def wait_in_transaction(cursor: Any, lock: Lock, number: int = 0) -> None:
    """Wait for a lock and hold it until the transaction ends."""
    cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [lock, number])


def try_in_transaction(cursor: Any, lock: Lock, number: int = 0) -> bool:
    """Take a lock until the transaction ends, or return False if another session holds it."""
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [lock, number])
    return bool(cursor.fetchone()[0])


def wait_shared_in_transaction(cursor: Any, lock: Lock, number: int = 0) -> None:
    """Wait for a share of a lock and hold it until the transaction ends."""
    cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [lock, number])


def try_shared_in_transaction(cursor: Any, lock: Lock, number: int = 0) -> bool:
    """Take a share of a lock until the transaction ends, or return False if another session holds it alone."""
    cursor.execute("SELECT pg_try_advisory_xact_lock_shared(%s, %s)", [lock, number])
    return bool(cursor.fetchone()[0])


@contextmanager
def held(alias: str, lock: Lock) -> Iterator[None]:
    """Wait for a lock and hold it for the session, over several transactions."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, 0)", [lock])
    try:
        yield
    finally:
        _release(alias, lock)


@contextmanager
def held_if_free(alias: str, lock: Lock) -> Iterator[bool]:
    """Hold a lock for the session and yield True, or yield False if another session holds it. Never waits."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, 0)", [lock])
        mine = bool(cursor.fetchone()[0])
    try:
        yield mine
    finally:
        if mine:
            _release(alias, lock)


def _release(alias: str, lock: Lock) -> None:
    # A lost connection has released the lock already.
    with suppress(*ERRORS), connections[alias].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(%s, 0)", [lock])
