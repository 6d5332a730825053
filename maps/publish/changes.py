"""Derive what readers see from the merged counts, for what changed: the estimated spawn points, then the documents.

Runs after the fold, in transactions of its own: readers see the last published state until the next
one is committed and never wait for it. A mark of a change in `changed` becomes one in `stale_file` in the
transaction that writes the spawn points, and is gone with the document's (`maps.publish`), as are the marks of
what has no spawn points: loot, levels, names.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from time import monotonic
from typing import Any

from django.db import connections, transaction

from maps import coordinates
from maps.coordinates import Places
from maps.estimate import spawns
from maps.estimate.patrols import Patrol
from maps.estimate.spawns import CONFIRMED_UPLOADERS, Estimate
from maps.publish import build, invalidation
from maps.publish.sql import load

#: Creature-zone pairs published in one transaction. Few: a pair that thousands of uploads have been about takes 25 ms,
#: and whoever gives publishing a second must get it back after about one.
CHUNK = 20
#: As long as they have few coordinates, it may be more of them: a hundred thousand invented names are a minute's work.
MOST_PAIRS, MOST_COORDINATES = 400, 4_000
#: The share of the time that documents get even if spawn points have used it up, so that no map stands still
#: while uploads keep coming.
DOCUMENTS_SHARE = 0.25
#: Rows of coordinates read at once: one may hold a whole zone's grid.
READ_ROWS = 20
#: How far (percent) from its way a patrol is met, roughly: interaction range.
PATROL_HALF_WIDTH_PCT = 0.5
#: The columns of a spawn point that `publish_spawns.sql` takes as arrays.
COLUMNS = ("mob", "zone", "floor", "x", "y", "radius", "sightings", "uploaders", "confirmed", "way")
#: First key of the advisory lock that publishing a locale holds; whoever holds it keeps spawn points as they are.
PUBLISH_LOCK = 0x4D50  # "MP"

Where = tuple[int, int, int]  # mob, zone, floor
Pair = tuple[int, int]  # mob, zone

#: The last pair published in each locale, and the last of the round: the greatest that was marked as it began. If all
#: chunks began with the lowest ids, those that change all the time would keep the others from ever being published
#: while uploads keep coming; if a round had no end, new names, whose ids grow, would.
_rounds: dict[str, tuple[Pair, Pair]] = {}


def has_changes(alias: str) -> bool:
    """Tell whether something was merged that is not published yet."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM stale_spawns)")
        if cursor.fetchone()[0]:
            return True
    return invalidation.are_stale(alias)


def publish(alias: str, for_s: float = float("inf"), *, busy: bool = False) -> int:
    """Make the spawn points and documents of what changed anew; returns how many creatures in zones.

    Ends soon after `for_s` seconds, so that a backlog of uploads is worked off first. Documents get what the
    spawn points leave of it, and at least a share of their own: no more than that while uploads keep the workers
    `busy`, as then everything that is made is old again at once.
    """
    began = monotonic()
    done = publish_spawns(alias, for_s)
    share = monotonic() + for_s * DOCUMENTS_SHARE
    until = share if busy else max(began + for_s, share)
    for _made in build.make_stale(alias):
        if monotonic() > until:
            break
    return done


def publish_spawns(alias: str, for_s: float = float("inf")) -> int:
    """Make the spawn points of changed creatures and zones anew; returns how many pairs.

    Begins no further chunk after `for_s` seconds. One process at a time does it for a locale; another returns 0
    at once.
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
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, 0)", [PUBLISH_LOCK])
        if not cursor.fetchone()[0]:
            return 0
        pairs = _take_next(cursor, alias)
        if pairs:
            _publish_pairs(alias, {"mobs": [mob for mob, _ in pairs], "zones": [zone for _, zone in pairs]})
        return len(pairs)


def _take_next(cursor: Any, alias: str) -> list[Pair]:
    """Take the marks that follow in the locale's round, or the first of a new one; none if nothing is free."""
    reached, last = _rounds.get(alias, ((0, 0), (0, 0)))
    pairs = _take(cursor, reached, last)
    if not pairs:
        cursor.execute("SELECT mob, zone FROM stale_spawns ORDER BY mob DESC, zone DESC LIMIT 1")
        last = cursor.fetchone() or (0, 0)
        pairs = _take(cursor, (0, 0), last)
    if pairs:
        _rounds[alias] = max(pairs), last
    return pairs


def _take(cursor: Any, after: Pair, last: Pair) -> list[Pair]:
    between = {"after_mob": after[0], "after_zone": after[1], "last_mob": last[0], "last_zone": last[1]}
    most = {"few": CHUNK, "most": MOST_PAIRS, "coordinates": MOST_COORDINATES}
    cursor.execute(load("take_changed.sql"), between | most)
    taken: list[Pair] = cursor.fetchall()
    return taken


def _publish_pairs(alias: str, pairs: dict[str, list[int]]) -> None:
    where: list[Where] = []
    found = spawns.estimate(_places(alias, pairs, where))
    rows = [row for number, estimate in enumerate(found) for row in _rows(where[number], estimate)]
    with connections[alias].cursor() as cursor:
        cursor.execute(
            "DELETE FROM spawn s USING unnest(%(mobs)s::bigint[], %(zones)s::int[]) AS w (mob, zone)"
            " WHERE s.mob = w.mob AND s.zone = w.zone",
            pairs,
        )
        if rows:
            columns = dict(zip(COLUMNS, (list(column) for column in zip(*rows, strict=True)), strict=True))
            cursor.execute(load("publish_spawns.sql"), columns | {"half_width": PATROL_HALF_WIDTH_PCT})
    invalidation.mark(alias, **pairs)


def _places(alias: str, pairs: dict[str, list[int]], where: list[Where]) -> Iterator[Places]:
    """Yield the coordinates of each creature, zone and floor, and add to `where` which ones they are."""
    with connections[alias].chunked_cursor() as cursor:
        cursor.execute(load("publish_places.sql"), pairs)
        rows = (row for chunk in iter(lambda: cursor.fetchmany(READ_ROWS), []) for row in chunk)
        for key, parts in groupby(rows, key=itemgetter(0, 1, 2)):
            where.append(key)
            yield coordinates.unite([Places.of(dict(zip(_PLACE_COLUMNS, row[3:], strict=True))) for row in parts])


_PLACE_COLUMNS = ("xy", "sightings", "uploaders", "first_seen", "last_seen", "seen_by")


def _rows(where: Where, estimate: Estimate) -> Iterator[tuple[Any, ...]]:
    """Yield what is written of a creature on one floor, in the order of `COLUMNS`."""
    shape = (estimate.x.round(2), estimate.y.round(2), estimate.radius.round(2))
    counts = (estimate.sightings, estimate.uploaders, estimate.confirmed)
    for point in zip(*(column.tolist() for column in (*shape, *counts)), strict=True):
        yield (*where, *point, None)
    for patrol in estimate.patrols:
        middle = (round(patrol.x, 2), round(patrol.y, 2), round(patrol.radius, 2))
        confirmed = patrol.uploaders >= CONFIRMED_UPLOADERS
        yield (*where, *middle, patrol.sightings, patrol.uploaders, confirmed, _way(patrol))


def _way(patrol: Patrol) -> str:
    legs = ", ".join(f"({x1:.2f} {y1:.2f}, {x2:.2f} {y2:.2f})" for x1, y1, x2, y2 in patrol.path.tolist())
    return f"MULTILINESTRING ({legs})"
