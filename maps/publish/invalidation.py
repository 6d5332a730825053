"""Which documents are older than the tables: the rows of `stale_file`, there until the document is on the disk.

A fold writes down what it has counted anew (`changed_count`), in its transaction; `spread` turns that into marks of all
documents that show it. What changes by the estimate of spawn points is marked in the transaction that writes those.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connections, transaction

from core import locales
from maps.publish import files
from maps.publish.kinds import KINDS, Kind, Lane
from maps.publish.sql import load
from maps.queries import GATHERED

#: Rows of `changed_count` spread in one transaction: well under a second.
CHUNK = 5000
#: First key of the advisory lock that whoever makes a locale's documents holds.
LOCK = 0x4D44  # "MD"
#: For how many seconds a zone's pictures rest once it has some. Drawing them takes longer than all else, and what one
#: more upload changes in them is hardly to be seen.
PICTURES_REST_S = 300
#: What `changed_count` may hold, in the order in which it is spread: `all` makes the others needless.
RECOUNTED = ("all", "creature", "source", "item", "zone")


def mark(alias: str, mobs: list[int], zones: list[int]) -> None:
    """Note down that spawn points of creatures changed in zones, within the transaction that changes them."""
    if settings.PUBLISH_DOCUMENTS:
        with connections[alias].cursor() as cursor:
            cursor.execute(load("mark_stale.sql"), {"mobs": mobs, "zones": zones, "rest_s": PICTURES_REST_S})


def alone(cursor: Any, *, wait: bool) -> bool:
    """Take the lock of a locale's documents until the transaction ends; returns whether it was free, or waits for it.

    Marks of several kinds are locked in no common order, so that two processes at them could wait for each other.
    """
    if wait:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [LOCK])
        return True
    cursor.execute("SELECT pg_try_advisory_xact_lock(%s, 0)", [LOCK])
    return bool(cursor.fetchone()[0])


def spread(alias: str, *, wait: bool = False) -> bool:
    """Mark the documents of some of what was counted anew; returns whether there was any.

    What a running fold has locked is left. One process at a time, as in `alone`.
    """
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        if not alone(cursor, wait=wait):
            return False
        cursor.execute(load("take_changed_count.sql"), {"rows": CHUNK})
        taken: dict[str, list[int]] = {kind: [] for kind in RECOUNTED}
        for kind, number in cursor.fetchall():
            taken[kind].append(number)
        # In a statement of its own, which sees all that the folds behind those rows have committed.
        if settings.PUBLISH_DOCUMENTS and any(taken.values()):
            if taken["all"]:
                _mark_all(cursor)
            cursor.execute(load("mark_changed_count.sql"), taken | {"rest_s": PICTURES_REST_S, "gathered": GATHERED})
    return any(taken.values())


def mark_items_of(cursor: Any, mobs: list[int]) -> None:
    """Mark the documents of all items that creatures give, within a transaction."""
    cursor.execute(load("mark_items_of_mobs.sql"), {"mobs": mobs})


def hurry(cursor: Any, kind: Kind, numbers: list[int]) -> None:
    """Let marks rest no longer, within a transaction."""
    cursor.execute(
        "UPDATE stale_file SET since = now() WHERE kind = %s AND number = ANY (%s) AND since > now()",
        [kind.name, numbers],
    )


def hurry_all(alias: str) -> int:
    """Let no mark rest any longer; returns how many documents are to be made."""
    with connections[alias].cursor() as cursor:
        cursor.execute("UPDATE stale_file SET since = now() WHERE since > now()")
        cursor.execute("SELECT count(*) FROM stale_file")
        return int(cursor.fetchone()[0])


def mark_all(alias: str) -> int:
    """Have all documents of a locale made anew, and delete those of what it doesn't know; returns how many."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        alone(cursor, wait=True)
        marked = _mark_all(cursor)
        cursor.execute("SELECT kind, number FROM stale_file")
        known = set(cursor.fetchall())
        # Still alone: what came to be known since then must not lose the document that it has got.
        for kind in KINDS:
            for number, file in files.numbers(locales.of_alias(alias), kind):
                if (kind.name, number) not in known:
                    file.unlink(missing_ok=True)
    return marked


def _mark_all(cursor: Any) -> int:
    cursor.execute(load("mark_all_stale.sql"), {"gathered": GATHERED})
    return int(cursor.rowcount)


def cut_rests(alias: str) -> None:
    """Let no mark wait for a moment that lies ahead of any rest: after the machine's clock was set back."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("cut_rests.sql"), {"kinds": [kind.name for kind in KINDS], "rest_s": PICTURES_REST_S})


def are_stale(alias: str) -> bool:
    """Tell whether a document is to be made now, or something counted anew to be spread."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("files_are_stale.sql"), {"rest_s": PICTURES_REST_S})
        changed_count, stale = cursor.fetchone()
    return bool(changed_count or (stale and settings.PUBLISH_DOCUMENTS))


def is_stale(alias: str, kind: Kind, number: int) -> bool:
    """Tell whether a document may be older than the tables."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("file_is_stale.sql"), {"kind": kind.name, "number": number})
        return bool(cursor.fetchone()[0])


def take(cursor: Any, lane: Lane) -> list[tuple[str, int]]:
    """Take the oldest marks and those given last, within the transaction in which their documents are made.

    Those that rest are left. Returns kinds and numbers, none if nothing waits.
    """
    cursor.execute(load("take_stale.sql"), {"kinds": [kind.name for kind in lane.kinds], "rows": lane.batch})
    return sorted(cursor.fetchall())
