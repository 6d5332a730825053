"""Derive what readers see from the merged counts, for what changed: the estimated spawn points.

Runs after the fold, in transactions of its own: readers see the last published state until the next
one is committed and never wait for it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from time import monotonic

from django.db import connections, transaction

#: Coordinates closer than this (percent of the zone's map) belong to one spawn point.
CLUSTER_EPS_PCT = 0.35
#: A spawn point is confirmed once so many distinct uploaders have seen it.
CONFIRMED_UPLOADERS = 2
#: Creature-zone pairs published in one transaction.
CHUNK = 200
_PUBLISH_LOCK = 0x4D50  # "MP"


@cache
def _statement() -> str:
    return (Path(__file__).parent / "sql" / "publish_spawns.sql").read_text(encoding="utf-8")


def has_changes(alias: str) -> bool:
    """Tell whether something was merged that is not published yet."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM changed)")
        return bool(cursor.fetchone()[0])


def publish(alias: str, for_s: float = float("inf")) -> int:
    """Make the spawn points of changed creatures and zones anew; returns how many pairs.

    Begins no further chunk after `for_s` seconds, so that a backlog of uploads is worked off first.
    One process at a time does it for a locale; another returns 0 at once.
    """
    began = monotonic()
    done = 0
    while published := _publish_chunk(alias):
        done += published
        if monotonic() - began > for_s:
            break
    return done


def _publish_chunk(alias: str) -> int:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, 0)", [_PUBLISH_LOCK])
        if not cursor.fetchone()[0]:
            return 0
        # A fold holds the marks of its pairs until it commits, old ones too, and those are left for the
        # next time: taken now, they would be gone before there is anything new to publish.
        cursor.execute(
            "WITH free AS (SELECT mob, zone FROM changed ORDER BY mob, zone LIMIT %s FOR UPDATE SKIP LOCKED) "
            "DELETE FROM changed c USING free f WHERE c.mob = f.mob AND c.zone = f.zone RETURNING c.mob, c.zone",
            [CHUNK],
        )
        pairs = cursor.fetchall()
        if pairs:
            cursor.execute("SET LOCAL enable_nestloop = off")
            cursor.execute(
                _statement(),
                {
                    "mobs": [mob for mob, _ in pairs],
                    "zones": [zone for _, zone in pairs],
                    "eps": CLUSTER_EPS_PCT,
                    "confirmed_uploaders": CONFIRMED_UPLOADERS,
                },
            )
        return len(pairs)
