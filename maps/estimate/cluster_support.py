"""Who saw each cluster of coordinates, how often, and whether the cluster is a spawn point. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maps import coordinates
from maps.coordinates import Coordinates
from maps.estimate.spatial_index import Bools, Floats, Ints, Points

#: Side (percent) of the squares in which clusters of one creature are counted: about the width of a camp.
CAMP_PCT = 4.0
_SQUARES = int(100 / CAMP_PCT) + 1
#: Prior share of a creature's spawn points that are in camps (the others may be anywhere). It weighs one spawn point.
PRIOR_CAMP_SHARE = 0.8
#: Prior share of wrong coordinates (noise), and how many clusters that prior weighs.
PRIOR_NOISE, PRIOR_NOISE_WEIGHT = 0.02, 15.0
MAP_AREA = 100.0 * 100.0
#: Wrong coordinates within this area (a circle of half a percent) form one cluster.
MERGED_AREA = np.pi * 0.5**2
#: Steps of expectation-maximization; the estimates hardly change after twenty.
STEPS = 25


@dataclass(frozen=True)
class ClusterSupport:
    """Evidence for the clusters of several creatures as parallel arrays, sorted by creature.

    `uploaders` are distinct. `support` counts n coordinates of one uploader in a cluster as 1 + ln n, so that one
    diligent player does not count like several. `radius` is the root mean square
    distance of the sightings from the center, in percent.
    `seen_by` holds pairs of cluster and uploader as two parallel arrays.
    """

    center: Points
    radius: Floats
    sightings: Ints
    uploaders: Ints
    support: Floats
    seen_by: tuple[Ints, Ints]
    #: Per creature: the support of its typical cluster (the weighted median).
    typical: Floats


def measure(batch: Sequence[Coordinates], seen: Points, member: Ints, center: Points) -> ClusterSupport:
    """Return the evidence for each cluster. `member` is the cluster of each coordinate in `seen`, or -1."""
    clusters = len(center)
    sightings = np.concatenate([each.sightings for each in batch])
    inside = member >= 0
    cluster = member[inside]
    count = np.bincount(cluster, sightings[inside], clusters)
    weight = sightings[inside] / np.maximum(count, 1)[cluster]
    square = (seen.x[inside] - center.x[cluster]) ** 2 + (seen.y[inside] - center.y[cluster]) ** 2
    pair_cluster, pair_uploader, repeats = _uploaders_of_clusters(batch, member)
    support = np.bincount(pair_cluster, 1 + np.log(repeats), clusters).astype(np.float64)
    return ClusterSupport(
        center=center,
        radius=np.sqrt(np.bincount(cluster, weight * square, clusters)),
        sightings=count.astype(np.int64),
        uploaders=np.bincount(pair_cluster, minlength=clusters),
        support=support,
        seen_by=(pair_cluster, pair_uploader),
        typical=_typical(center.group, support, len(batch)),
    )


def _uploaders_of_clusters(batch: Sequence[Coordinates], member: Ints) -> tuple[Ints, Ints, Ints]:
    """Return each pair of cluster and uploader once, and how many of the cluster's coordinates the uploader saw."""
    starts = np.cumsum([0, *(len(each.xy) for each in batch)])
    clusters, uploaders = [], []
    for start, each in zip(starts[:-1], batch, strict=False):
        pairs = each.pairs
        rows = start + np.searchsorted(each.xy, pairs >> coordinates.UPLOADER_BITS)
        clusters.append(member[rows])
        uploaders.append(pairs & coordinates.UPLOADER_MASK)
    cluster = np.concatenate(clusters)
    packed = cluster << coordinates.UPLOADER_BITS | np.concatenate(uploaders)
    pairs, repeats = np.unique(packed[cluster >= 0], return_counts=True)
    return pairs >> coordinates.UPLOADER_BITS, pairs & coordinates.UPLOADER_MASK, repeats


def _typical(group: Ints, support: Floats, groups: int) -> Floats:
    """Return each creature's median of support, weighted by support: many small clusters hardly change it."""
    order = np.lexsort((support, group))
    running = np.cumsum(support[order])
    ends = np.searchsorted(group[order], np.arange(groups), "right")
    before = np.append(0, running)[np.append(0, ends[:-1])]
    middle = np.searchsorted(running, (before + np.append(0, running)[ends]) / 2)
    typical = np.zeros(groups)
    some = ends > np.append(0, ends[:-1])
    typical[some] = support[order[middle[some]]]
    return typical


def are_spawn_points(found: ClusterSupport, total: Floats) -> Bools:
    """Return which clusters are more likely spawn points than noise. `total` is the coordinates per creature.

    The spawn points of one creature are seen about equally often: their support follows a negative binomial
    distribution of shape 2 around the typical support, and most of them are in camps. Wrong coordinates are
    anywhere on the map, alone or close to each other by chance. Expectation-maximization estimates how many
    there are of either, and the share of the creature's spawn points that are in camps.
    """
    group, groups = found.center.group, len(total)
    count = np.bincount(group, minlength=groups).astype(float)
    support = np.maximum(found.support, 1.0)
    p = 2 / (2 + np.maximum(found.typical, 1.0))[group]
    support_likelihood = (support + 1) * p**2 * (1 - p) ** support / (1 - p**2)
    density = _relative_density(found)
    camp_share = np.full(groups, PRIOR_CAMP_SHARE)
    noise = PRIOR_NOISE * total
    spawns = np.maximum(count - noise, 1)
    likely = np.zeros(len(support))
    for _ in range(STEPS):
        chance = np.clip(noise * MERGED_AREA / MAP_AREA, 0.02, 0.5)[group]
        noise_likelihood = (1 - chance) * chance ** (support - 1)
        in_camp = camp_share[group] * density
        location_likelihood = in_camp + 1 - camp_share[group]
        likely = spawns[group] * support_likelihood * location_likelihood
        likely /= likely + noise[group] * noise_likelihood + 1e-300
        camp_share = (np.bincount(group, likely * in_camp / location_likelihood, groups) + PRIOR_CAMP_SHARE) / (
            np.bincount(group, likely, groups) + 1
        )
        spawns = np.bincount(group, likely, groups)
        noise = (np.maximum(count - spawns, 0) * count + PRIOR_NOISE_WEIGHT * PRIOR_NOISE * total) / (
            count + PRIOR_NOISE_WEIGHT
        )
    spawn: Bools = (likely > 0.5) & (found.support > 0)
    return spawn


def _relative_density(found: ClusterSupport) -> Floats:
    """Return the density of a creature's other clusters around each cluster, relative to a uniform distribution."""
    group, groups = found.center.group, len(found.typical)
    weight = np.minimum(found.support / np.maximum(found.typical, 1)[group], 1.0)
    column = (found.center.x / CAMP_PCT).astype(np.int64) + 1
    row = (found.center.y / CAMP_PCT).astype(np.int64) + 1
    side = _SQUARES + 2
    square = (group * side + column) * side + row
    blurred = np.bincount(square, weight, groups * side * side).reshape(groups, side, side)
    for axis in (1, 2):
        blurred = 0.5 * blurred + 0.25 * (np.roll(blurred, 1, axis) + np.roll(blurred, -1, axis))
    others = np.maximum(np.bincount(group, weight, groups)[group] - weight, 0.5)
    density: Floats = np.maximum(blurred.reshape(-1)[square] - 0.25 * weight, 0) / others * MAP_AREA / CAMP_PCT**2
    return density
