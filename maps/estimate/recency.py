"""The day each spawn point was last seen: the newest of the coordinates nearest to it. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maps.coordinates import Y_BITS, Y_MASK

#: A zone's map is three wide to two high, so a percent across is this many times a percent down.
ASPECT = 1.5
#: Comparing this many pairs of spawn point and coordinate takes a second or two. Only malicious uploads bring more.
MAX_PAIRS = 100_000_000


def last_seen(spawns: Sequence[Mapping[str, Any]], habitats: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return for each spawn point the day (from 1970-01-01) its creature was last seen nearest to it.

    `spawns` have `mob`, `floor`, `x`, `y` (percent); `habitats` have `mob`, `floor` and the packed arrays
    `xy` and `last_seen`. A spawn point that is nearest to no coordinate gets its creature's newest day on that
    floor. So do all spawn points of a creature that has too many pairs to compare. Without coordinates the day is 0.
    """
    days = np.zeros(len(spawns), dtype=np.int64)
    groups: dict[tuple[int, int], list[int]] = {}
    for index, spawn in enumerate(spawns):
        groups.setdefault((spawn["mob"], spawn["floor"]), []).append(index)
    packed: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for row in habitats:
        packed.setdefault((row["mob"], row["floor"]), []).append(row)
    pairs_left = MAX_PAIRS
    for key, members in groups.items():
        if key in packed:
            points = np.array([(spawns[index]["x"], spawns[index]["y"]) for index in members])
            pairs = len(points) * sum(len(part["xy"]) for part in packed[key])
            days[members] = _newest(points, packed[key], compare=pairs <= pairs_left)
            pairs_left -= pairs if pairs <= pairs_left else 0
    found: list[int] = days.tolist()
    return found


def _newest(points: NDArray[np.float64], parts: Sequence[Mapping[str, Any]], *, compare: bool) -> NDArray[np.int64]:
    """Return the newest day per point (n × 2, percent) of one creature on one floor.

    Without `compare` every point gets the newest day of all coordinates.
    """
    xy = np.concatenate([np.asarray(part["xy"], dtype=np.int64) for part in parts])
    day = np.concatenate([np.asarray(part["last_seen"], dtype=np.int64) for part in parts])
    if not compare:
        return np.full(len(points), day.max())
    x, y = (xy >> Y_BITS) / 10, (xy & Y_MASK) / 10
    nearest = np.zeros(len(xy), dtype=np.int64)
    least = np.full(len(xy), np.inf)
    # One point at a time: all pairs at once could take gigabytes for a creature with many thousand coordinates.
    for index, (point_x, point_y) in enumerate(points):
        distance = ((x - point_x) * ASPECT) ** 2 + (y - point_y) ** 2
        nearer = distance < least
        nearest[nearer], least[nearer] = index, distance[nearer]
    newest = np.zeros(len(points), dtype=np.int64)
    np.maximum.at(newest, nearest, day)
    newest[newest == 0] = day.max()
    return newest
