"""When spawn points were last seen: the newest of the coordinates nearest to each. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maps.coordinates import Y_BITS, Y_MASK

#: A zone's map is three wide to two high: a percent across is so many times a percent down.
ASPECT = 1.5
#: So many pairs of a place and a coordinate take a second or two; only malicious uploads make more of a zone.
MOST_COMPARED = 100_000_000


def last_seen(spawns: Sequence[Mapping[str, Any]], habitat: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return for each spawn point the day (from 1970-01-01) its creature was last seen nearest to it.

    `spawns` have `mob`, `floor`, `x`, `y` (percent), `habitat` rows `mob`, `floor` and the packed arrays
    `xy` and `last_seen`. A spawn point that no coordinate is nearest to gets its creature's newest day there,
    as do those of creatures for which there are too many of both to compare, and one without any coordinate 0.
    """
    days = np.zeros(len(spawns), dtype=np.int64)
    groups: dict[tuple[int, int], list[int]] = {}
    for index, spawn in enumerate(spawns):
        groups.setdefault((spawn["mob"], spawn["floor"]), []).append(index)
    packed: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
    for row in habitat:
        packed.setdefault((row["mob"], row["floor"]), []).append(row)
    left = MOST_COMPARED
    for key, members in groups.items():
        if key in packed:
            places = np.array([(spawns[index]["x"], spawns[index]["y"]) for index in members])
            pairs = len(places) * sum(len(part["xy"]) for part in packed[key])
            days[members] = _newest(places, packed[key], near=pairs <= left)
            left -= pairs if pairs <= left else 0
    found: list[int] = days.tolist()
    return found


def _newest(places: NDArray[np.float64], parts: Sequence[Mapping[str, Any]], *, near: bool) -> NDArray[np.int64]:
    """Return the newest day `near` each of some places (n × 2, percent) of one creature on one floor, or anywhere."""
    xy = np.concatenate([np.asarray(part["xy"], dtype=np.int64) for part in parts])
    day = np.concatenate([np.asarray(part["last_seen"], dtype=np.int64) for part in parts])
    if not near:
        return np.full(len(places), day.max())
    x, y = (xy >> Y_BITS) / 10, (xy & Y_MASK) / 10
    nearest = np.zeros(len(xy), dtype=np.int64)
    least = np.full(len(xy), np.inf)
    # One place at a time: all pairs at once could take a creature of many thousand coordinates gigabytes.
    for index, (place_x, place_y) in enumerate(places):
        distance = ((x - place_x) * ASPECT) ** 2 + (y - place_y) ** 2
        nearer = distance < least
        nearest[nearer], least[nearer] = index, distance[nearer]
    newest = np.zeros(len(places), dtype=np.int64)
    np.maximum.at(newest, nearest, day)
    newest[newest == 0] = day.max()
    return newest
