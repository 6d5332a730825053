"""Publish what was merged: spawn points first, then files, each with a share of the time."""

from __future__ import annotations

from time import monotonic

from django.db import connections

from maps.publish import build, invalidation
from maps.publish.spawn_points import publish_spawn_points

#: The share of the time that files get even if spawn points have used all of it, so that no map stays stale
#: while uploads keep coming.
FILES_SHARE = 0.25


def has_changes(alias: str) -> bool:
    """Return whether anything was merged that is not published yet."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM stale_spawns)")
        if cursor.fetchone()[0]:
            return True
    return invalidation.is_work_due(alias)


def publish(alias: str, for_s: float = float("inf"), *, busy: bool = False) -> int:
    """Publish changed spawn points and files. Returns the number of pairs of creature and zone.

    Ends soon after `for_s` seconds, because a backlog of uploads has precedence. Files get the time that spawn
    points leave, and at least `FILES_SHARE` of it: exactly that while uploads keep the workers `busy`, as files
    built then are stale again at once.
    """
    began = monotonic()
    done = publish_spawn_points(alias, for_s)
    share_ends = monotonic() + for_s * FILES_SHARE
    until = share_ends if busy else max(began + for_s, share_ends)
    for _built in build.build_stale(alias):
        if monotonic() > until:
            break
    return done
