"""Patrols: chains of small clusters, where a creature walks instead of standing still. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from maps.estimate.cluster_support import ClusterSupport
from maps.estimate.spatial_index import CELL_PCT, Floats, Ints, connected_components, pairs_within

#: A walking creature is seen less often at each point of its route than a standing one at its spawn point:
#: clusters with less than this share of the typical support may be part of a patrol.
SMALL = 0.4
#: Below this typical support, small clusters can't be distinguished from spawn points that are seldom visited.
MIN_TYPICAL = 16.0
#: A chain of fewer clusters, or a shorter one (percent, end to end), is no patrol.
MIN_CLUSTERS, MIN_LENGTH_PCT = 4, 2.0
#: Several uploaders must have seen a patrol, or anyone could invent one.
MIN_UPLOADERS = 3


@dataclass(frozen=True)
class Patrol:
    """The route of a walking creature: `edges` has rows `x1, y1, x2, y2` (percent) that form an unordered tree.

    `x`, `y` is the cluster nearest to the middle of the route; `radius` is the distance from there to the end that
    is furthest away. `clusters` are rows of the `ClusterSupport` that the patrol was found in.
    """

    x: float
    y: float
    radius: float
    sightings: int
    uploaders: int
    edges: Floats
    clusters: Ints


class _Links(NamedTuple):
    """Pairs of neighboring clusters: rows of `ClusterSupport` and squared distances, as parallel arrays."""

    first: Ints
    second: Ints
    square: Floats


def find_patrols(found: ClusterSupport) -> list[tuple[int, Patrol]]:
    """Return patrols, each with the number of the creature that walks it."""
    typical = found.typical[found.center.group]
    small = np.flatnonzero((found.support < SMALL * typical) & (found.support > 0) & (typical >= MIN_TYPICAL))
    if not len(small):
        return []
    centers = found.center[small]
    first, second, square = pairs_within(centers, centers, np.full(len(found.typical), CELL_PCT))
    chain = connected_components(len(small), first, second)
    chains, sizes = np.unique(chain, return_counts=True)
    patrols = []
    for one in chains[sizes >= MIN_CLUSTERS]:
        own = (chain[first] == one) & (first < second)
        links = _Links(small[first[own]], small[second[own]], square[own])
        patrol = _patrol(found, small[chain == one], links)
        if patrol is not None:
            patrols.append((int(found.center.group[patrol.clusters[0]]), patrol))
    return patrols


def _patrol(found: ClusterSupport, clusters: Ints, links: _Links) -> Patrol | None:
    """Return the patrol along these clusters, None if it is too short or was seen by too few."""
    x, y = found.center.x[clusters], found.center.y[clusters]
    if np.hypot(np.ptp(x), np.ptp(y)) < MIN_LENGTH_PCT:
        return None
    pair_cluster, uploader = found.seen_by
    uploaders = len(np.unique(uploader[np.isin(pair_cluster, clusters)]))
    if uploaders < MIN_UPLOADERS:
        return None
    weight = found.support[clusters]
    middle = np.hypot(x - np.average(x, weights=weight), y - np.average(y, weights=weight)).argmin()
    tree = _spanning_tree(links)
    ends = (links.first[tree], links.second[tree])
    return Patrol(
        x=float(x[middle]),
        y=float(y[middle]),
        radius=float(np.hypot(x - x[middle], y - y[middle]).max()),
        sightings=int(found.sightings[clusters].sum()),
        uploaders=uploaders,
        edges=np.column_stack([axis[end] for end in ends for axis in (found.center.x, found.center.y)]),
        clusters=clusters,
    )


def _spanning_tree(links: _Links) -> list[int]:
    """Return the rows of the links that form the minimum spanning tree (Kruskal)."""
    parent: dict[int, int] = {}

    def root(node: int) -> int:
        while (above := parent.get(node, node)) != node:
            node = above
        return node

    tree = []
    for row in np.argsort(links.square, kind="stable").tolist():
        one, other = root(int(links.first[row])), root(int(links.second[row]))
        if one != other:
            parent[one] = other
            tree.append(row)
    return tree
