"""Which published files are stale: the rows of `stale_file`. A row is there until the file was built and is on disk.

A fold notes what counts it has changed (`changed_count`), in its transaction; `propagate` turns that into rows for all
files that show them. What changes with the spawn points is invalidated in the transaction that writes these.

`since` may be in the future: images of a zone are delayed, and built only from then on.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import connections, transaction

from core import locales
from core.locks import Lock, try_in_transaction, wait_in_transaction
from maps.publish import files
from maps.publish.kinds import KINDS, BuildGroup, Kind
from maps.publish.sql import load
from maps.queries import GATHERED

#: Rows of `changed_count` propagated in one transaction: well under a second.
CHUNK = 5000
#: Delay of a zone's images in seconds, once it has some. Drawing them takes longer than everything else, and the
#: change by one more upload is hardly visible.
IMAGE_DELAY_S = 300
#: The kinds of `changed_count`.
CHANGE_KINDS = ("all", "creature", "source", "item", "zone")


def invalidate(alias: str, mobs: list[int], zones: list[int]) -> None:
    """Invalidate the files that show these creatures' spawn points. Call it in the transaction that changes them."""
    if settings.PUBLISH_FILES:
        with connections[alias].cursor() as cursor:
            cursor.execute(
                load("invalidate_spawn_points.sql"), {"mobs": mobs, "zones": zones, "delay_s": IMAGE_DELAY_S}
            )


def lock_files(cursor: Any, *, wait: bool) -> bool:
    """Take the lock for building a locale's files until the transaction ends. Returns whether that succeeded.

    With `wait` it always succeeds. The lock is needed because rows of several kinds are locked in no common order,
    so two processes could deadlock.
    """
    if wait:
        wait_in_transaction(cursor, Lock.BUILD)
        return True
    return try_in_transaction(cursor, Lock.BUILD)


def propagate(alias: str, *, wait: bool = False) -> bool:
    """Invalidate the files that show some of the changed counts. Returns whether there were any.

    Rows that a running fold has locked are left. Only one process at a time does this (see `lock_files`).
    """
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        if not lock_files(cursor, wait=wait):
            return False
        cursor.execute(load("take_changed_counts.sql"), {"rows": CHUNK})
        taken: dict[str, list[int]] = {kind: [] for kind in CHANGE_KINDS}
        for kind, number in cursor.fetchall():
            taken[kind].append(number)
        # A statement of its own, because its snapshot must include what the folds behind these rows committed.
        if settings.PUBLISH_FILES and any(taken.values()):
            if taken["all"]:
                _invalidate_all(cursor)
            cursor.execute(
                load("propagate_changed_counts.sql"), taken | {"delay_s": IMAGE_DELAY_S, "gathered": GATHERED}
            )
    return any(taken.values())


def invalidate_items_of(cursor: Any, mobs: list[int]) -> None:
    """Invalidate the files of all items that these creatures give, within a transaction."""
    cursor.execute(load("invalidate_items_of_mobs.sql"), {"mobs": mobs})


def prioritize(cursor: Any, kind: Kind, numbers: list[int]) -> None:
    """End the delay of these files, within a transaction."""
    cursor.execute(
        "UPDATE stale_file SET since = now() WHERE kind = %s AND number = ANY (%s) AND since > now()",
        [kind.name, numbers],
    )


def prioritize_all(alias: str) -> int:
    """End the delay of all files. Returns the number of stale files."""
    with connections[alias].cursor() as cursor:
        cursor.execute("UPDATE stale_file SET since = now() WHERE since > now()")
        cursor.execute("SELECT count(*) FROM stale_file")
        return int(cursor.fetchone()[0])


def invalidate_all(alias: str) -> int:
    """Invalidate all files of a locale and delete those of unknown subjects. Returns the number of stale files."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        lock_files(cursor, wait=True)
        count = _invalidate_all(cursor)
        cursor.execute("SELECT kind, number FROM stale_file")
        known = set(cursor.fetchall())
        # Under the lock, so that no file is deleted that another process has just built for a new subject.
        for kind in KINDS:
            for number, file in files.list_files(locales.of_alias(alias), kind):
                if (kind.name, number) not in known:
                    file.unlink(missing_ok=True)
    return count


def _invalidate_all(cursor: Any) -> int:
    cursor.execute(load("invalidate_all.sql"), {"gathered": GATHERED})
    return int(cursor.rowcount)


def cap_delays(alias: str) -> None:
    """End delays that are longer than possible: the clock was set back after they were written."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("cap_delays.sql"), {"kinds": [kind.name for kind in KINDS], "delay_s": IMAGE_DELAY_S})


def is_work_due(alias: str) -> bool:
    """Return whether there are stale files to build now, or changed counts to propagate."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("work_is_due.sql"), {"delay_s": IMAGE_DELAY_S})
        changed_counts, stale_files = cursor.fetchone()
    return bool(changed_counts or (stale_files and settings.PUBLISH_FILES))


def is_stale(alias: str, kind: Kind, number: int) -> bool:
    """Return whether a published file may be older than the tables."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("file_is_stale.sql"), {"kind": kind.name, "number": number})
        return bool(cursor.fetchone()[0])


def take_stale(cursor: Any, group: BuildGroup) -> list[tuple[str, int]]:
    """Take the rows of stale files to build next, within the transaction that builds them: the oldest and the latest.

    Delayed files are left. Returns kinds and numbers, none if no file is due.
    """
    cursor.execute(load("take_stale_files.sql"), {"kinds": [kind.name for kind in group.kinds], "rows": group.batch})
    return sorted(cursor.fetchall())
