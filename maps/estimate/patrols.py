"""Patrols: chains of small clouds, where a creature walks instead of standing. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from maps.estimate.cluster_support import Meetings
from maps.estimate.spatial_index import CELL_PCT, Floats, Ints, connected, near

#: A creature that walks is met at each place of its way more seldom than one that stands: clouds of less
#: than this share of the typical support may be part of a patrol.
SMALL = 0.4
#: Below this typical support small clouds and seldom visited spawn points can't be told apart.
LEAST_TYPICAL = 16.0
#: A chain of fewer clouds, or a shorter one (percent, end to end), is no patrol.
LEAST_CLOUDS, LEAST_LENGTH_PCT = 4, 2.0
#: Someone else must have seen it, or anyone could draw one.
LEAST_UPLOADERS = 3


@dataclass(frozen=True)
class Patrol:
    """A way that a creature walks: `path` holds its legs as rows `x1, y1, x2, y2` (percent), a tree without order.

    `x`, `y` is the place on it nearest to its middle, `radius` reaches from there to its furthest end.
    `clouds` are rows of the `Meetings` it was made of.
    """

    x: float
    y: float
    radius: float
    sightings: int
    uploaders: int
    path: Floats
    clouds: Ints


class _Links(NamedTuple):
    """Pairs of neighbouring clouds as rows of `Meetings`, in step with their squared distances."""

    first: Ints
    second: Ints
    square: Floats


def find_patrols(met: Meetings) -> list[tuple[int, Patrol]]:
    """Return patrols with the number of the creature that walks them."""
    typical = met.typical[met.at.group]
    small = np.flatnonzero((met.support < SMALL * typical) & (met.support > 0) & (typical >= LEAST_TYPICAL))
    if not len(small):
        return []
    first, second, square = near(met.at[small], met.at[small], np.full(len(met.typical), CELL_PCT))
    chain = connected(len(small), first, second)
    names, sizes = np.unique(chain, return_counts=True)
    found = []
    for name in names[sizes >= LEAST_CLOUDS]:
        own = (chain[first] == name) & (first < second)
        links = _Links(small[first[own]], small[second[own]], square[own])
        patrol = _patrol(met, small[chain == name], links)
        if patrol is not None:
            found.append((int(met.at.group[patrol.clouds[0]]), patrol))
    return found


def _patrol(met: Meetings, clouds: Ints, links: _Links) -> Patrol | None:
    """Return the patrol along these clouds, None where it would be too short or seen by too few."""
    x, y = met.at.x[clouds], met.at.y[clouds]
    if np.hypot(np.ptp(x), np.ptp(y)) < LEAST_LENGTH_PCT:
        return None
    pair_cloud, uploader = met.seen_by
    uploaders = len(np.unique(uploader[np.isin(pair_cloud, clouds)]))
    if uploaders < LEAST_UPLOADERS:
        return None
    weight = met.support[clouds]
    middle = np.hypot(x - np.average(x, weights=weight), y - np.average(y, weights=weight)).argmin()
    legs = _spanning_tree(links)
    ends = (links.first[legs], links.second[legs])
    return Patrol(
        x=float(x[middle]),
        y=float(y[middle]),
        radius=float(np.hypot(x - x[middle], y - y[middle]).max()),
        sightings=int(met.sightings[clouds].sum()),
        uploaders=uploaders,
        path=np.column_stack([axis[end] for end in ends for axis in (met.at.x, met.at.y)]),
        clouds=clouds,
    )


def _spanning_tree(links: _Links) -> list[int]:
    """Return the rows of the links that connect all with the least length (Kruskal)."""
    root: dict[int, int] = {}

    def find(node: int) -> int:
        while (above := root.get(node, node)) != node:
            node = above
        return node

    legs = []
    for row in np.argsort(links.square, kind="stable").tolist():
        one, other = find(int(links.first[row])), find(int(links.second[row]))
        if one != other:
            root[one] = other
            legs.append(row)
    return legs
