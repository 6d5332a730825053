"""Estimate the spawn points of creatures whose coordinates have changed, and write them.

Runs after the fold, in transactions of its own: readers see the last published spawn points until the next
ones are committed, and never wait for them. The transaction that removes pairs from `stale_spawns` writes their
spawn points and invalidates the files that show them, so no change is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from time import monotonic
from typing import Any

from django.db import connections, transaction

from core.locks import Lock, try_in_transaction
from maps import coordinates
from maps.coordinates import Coordinates
from maps.estimate import spawns
from maps.estimate.patrols import Patrol
from maps.estimate.spawns import CONFIRMED_UPLOADERS, Estimate
from maps.publish import invalidation
from maps.publish.sql import load

#: Pairs of creature and zone published in one transaction. A pair that thousands of uploads contain takes 25 ms,
#: and a caller that allows one second must get control back after about one.
CHUNK = 20
#: A chunk may have up to `MAX_PAIRS` pairs while these have few coordinates: a hundred thousand invented names
#: would take a minute otherwise.
MAX_PAIRS, MAX_COORDINATES = 400, 4_000
#: Rows of coordinates read at once: a single one may hold all coordinates of a zone.
READ_ROWS = 20
#: Distance (percent) from its route up to which players see a patrol: about the interaction range.
PATROL_HALF_WIDTH_PCT = 0.5
#: The columns of a spawn point that `insert_spawns.sql` takes as arrays.
COLUMNS = ("mob", "zone", "floor", "x", "y", "radius", "sightings", "uploaders", "confirmed", "route")

Key = tuple[int, int, int]  # mob, zone, floor
Pair = tuple[int, int]  # mob, zone

#: Per locale the last published pair and the last pair of the current round, which is the largest that was stale when
#: the round began. If every chunk started at the lowest ids, pairs that change all the time would keep the others
#: from being published while uploads keep coming; if a round had no end, new names, whose ids grow, would do so.
_rounds: dict[str, tuple[Pair, Pair]] = {}


def publish_spawn_points(alias: str, for_s: float = float("inf")) -> int:
    """Estimate and write the spawn points of stale pairs of creature and zone. Returns the number of pairs.

    Starts no further chunk after `for_s` seconds. Only one process at a time publishes a locale; another one
    returns 0 at once.
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
        if not try_in_transaction(cursor, Lock.PUBLISH):
            return 0
        pairs = _take_next(cursor, alias)
        if pairs:
            _publish_pairs(alias, {"mobs": [mob for mob, _ in pairs], "zones": [zone for _, zone in pairs]})
        return len(pairs)


def _take_next(cursor: Any, alias: str) -> list[Pair]:
    """Take the next stale pairs of the locale's round, or the first ones of a new round; none if all are locked."""
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
    """Take stale pairs from after one pair up to another one."""
    between = {"after_mob": after[0], "after_zone": after[1], "last_mob": last[0], "last_zone": last[1]}
    limits = {"always": CHUNK, "pairs": MAX_PAIRS, "coordinates": MAX_COORDINATES}
    cursor.execute(load("take_stale_spawns.sql"), between | limits)
    taken: list[Pair] = cursor.fetchall()
    return taken


def _publish_pairs(alias: str, pairs: dict[str, list[int]]) -> None:
    keys: list[Key] = []
    found = spawns.estimate(_coordinates(alias, pairs, keys))
    rows = [row for number, estimate in enumerate(found) for row in _rows(keys[number], estimate)]
    with connections[alias].cursor() as cursor:
        cursor.execute(
            "DELETE FROM spawn s USING unnest(%(mobs)s::bigint[], %(zones)s::int[]) AS w (mob, zone)"
            " WHERE s.mob = w.mob AND s.zone = w.zone",
            pairs,
        )
        if rows:
            columns = dict(zip(COLUMNS, (list(column) for column in zip(*rows, strict=True)), strict=True))
            cursor.execute(load("insert_spawns.sql"), columns | {"half_width": PATROL_HALF_WIDTH_PCT})
    invalidation.invalidate(alias, **pairs)


def _coordinates(alias: str, pairs: dict[str, list[int]], keys: list[Key]) -> Iterator[Coordinates]:
    """Yield the coordinates per creature, zone and floor, and append the key of each to `keys`."""
    with connections[alias].chunked_cursor() as cursor:
        cursor.execute(load("spawn_coordinates.sql"), pairs)
        rows = (row for chunk in iter(lambda: cursor.fetchmany(READ_ROWS), []) for row in chunk)
        for key, parts in groupby(rows, key=itemgetter(0, 1, 2)):
            keys.append(key)
            united = [Coordinates.from_row(dict(zip(_COORDINATE_COLUMNS, row[3:], strict=True))) for row in parts]
            yield coordinates.unite(united)


_COORDINATE_COLUMNS = ("xy", "sightings", "uploaders", "first_seen", "last_seen", "seen_by")


def _rows(key: Key, estimate: Estimate) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a creature's spawn points and patrols on one floor, in the order of `COLUMNS`."""
    shape = (estimate.x.round(2), estimate.y.round(2), estimate.radius.round(2))
    counts = (estimate.sightings, estimate.uploaders, estimate.confirmed)
    for point in zip(*(column.tolist() for column in (*shape, *counts)), strict=True):
        yield (*key, *point, None)
    for patrol in estimate.patrols:
        middle = (round(patrol.x, 2), round(patrol.y, 2), round(patrol.radius, 2))
        confirmed = patrol.uploaders >= CONFIRMED_UPLOADERS
        yield (*key, *middle, patrol.sightings, patrol.uploaders, confirmed, _route(patrol))


def _route(patrol: Patrol) -> str:
    """Return the route of a patrol as WKT."""
    edges = ", ".join(f"({x1:.2f} {y1:.2f}, {x2:.2f} {y2:.2f})" for x1, y1, x2, y2 in patrol.edges.tolist())
    return f"MULTILINESTRING ({edges})"
