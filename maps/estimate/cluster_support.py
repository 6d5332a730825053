"""Who met what: the sightings and uploaders behind each cloud of coordinates, and whether it is a spawn point. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from maps import coordinates
from maps.coordinates import Places
from maps.estimate.spatial_index import Bools, Floats, Ints, Points

#: Clouds of one creature are looked for in squares of this size (percent): about as wide as a camp.
CAMP_PCT = 4.0
_SQUARES = int(100 / CAMP_PCT) + 1
#: The share of a creature's spawn points that keep to camps (the others may be anywhere), before anything
#: is known of it. The guess weighs as much as one spawn point.
SOCIABLE = 0.8
#: Wrong coordinates that are taken for granted: their share, and how many clouds that guess weighs.
USUAL_WRONG, USUAL_WEIGHT = 0.02, 15.0
MAP_AREA = 100.0 * 100.0
#: Wrong coordinates within this area (half a percent around) end up in one cloud.
MERGED_AREA = np.pi * 0.5**2


@dataclass(frozen=True)
class Meetings:
    """Clouds of several creatures as arrays in step, sorted by creature.

    `uploaders` are distinct; `support` counts each uploader's first coordinate in a cloud whole and his
    further ones ever less (1 + ln n for n), so that one player's diligence is no second witness.
    `radius` is the standard deviation of the sightings, percent. `seen_by` has pairs of cloud and uploader.
    """

    at: Points
    radius: Floats
    sightings: Ints
    uploaders: Ints
    support: Floats
    seen_by: tuple[Ints, Ints]
    #: Per creature: the support of the cloud that holds the middle one of all meetings.
    typical: Floats


def meet(batch: Sequence[Places], seen: Points, member: Ints, at: Points) -> Meetings:
    """Count what is behind each cloud, given the coordinates `seen` and the row of each one's cloud (or -1)."""
    clouds = len(at)
    sightings = np.concatenate([each.sightings for each in batch])
    inside = member >= 0
    cloud = member[inside]
    count = np.bincount(cloud, sightings[inside], clouds)
    weight = sightings[inside] / np.maximum(count, 1)[cloud]
    square = (seen.x[inside] - at.x[cloud]) ** 2 + (seen.y[inside] - at.y[cloud]) ** 2
    starts = np.cumsum([0, *(len(each.xy) for each in batch)])
    met, uploader = [], []
    for start, each in zip(starts[:-1], batch, strict=False):
        pairs = each.pairs
        rows = start + np.searchsorted(each.xy, pairs >> coordinates.UPLOADER_BITS)
        met.append(member[rows])
        uploader.append(pairs & coordinates.UPLOADER_MASK)
    met_by = np.concatenate(met) << coordinates.UPLOADER_BITS | np.concatenate(uploader)
    pairs, repeats = np.unique(met_by[np.concatenate(met) >= 0], return_counts=True)
    pair_cloud = pairs >> coordinates.UPLOADER_BITS
    support = np.bincount(pair_cloud, 1 + np.log(repeats), clouds).astype(np.float64)
    return Meetings(
        at=at,
        radius=np.sqrt(np.bincount(cloud, weight * square, clouds)),
        sightings=count.astype(np.int64),
        uploaders=np.bincount(pair_cloud, minlength=clouds),
        support=support,
        seen_by=(pair_cloud, pairs & coordinates.UPLOADER_MASK),
        typical=_typical(at.group, support, len(batch)),
    )


def _typical(group: Ints, support: Floats, groups: int) -> Floats:
    """Return each creature's weighted median of support: small clouds, however many, hardly move it."""
    order = np.lexsort((support, group))
    running = np.cumsum(support[order])
    ends = np.searchsorted(group[order], np.arange(groups), "right")
    before = np.append(0, running)[np.append(0, ends[:-1])]
    middle = np.searchsorted(running, (before + np.append(0, running)[ends]) / 2)
    typical = np.zeros(groups)
    some = ends > np.append(0, ends[:-1])
    typical[some] = support[order[middle[some]]]
    return typical


def are_spawns(met: Meetings, total: Floats) -> Bools:
    """Tell which clouds are rather spawn points than wrong coordinates; `total` counts those per creature.

    Spawn points of one creature are met about equally often: their support follows a negative binomial
    distribution of shape 2 around the typical one, and most are near each other. Wrong coordinates lie
    anywhere, alone, or close to each other by chance. How many of either there are, and how sociable the
    creature is, is settled by expectation-maximisation.
    """
    group, groups = met.at.group, len(total)
    count = np.bincount(group, minlength=groups).astype(float)
    support = np.maximum(met.support, 1.0)
    p = 2 / (2 + np.maximum(met.typical, 1.0))[group]
    as_often = (support + 1) * p**2 * (1 - p) ** support / (1 - p**2)
    around = _around(met)
    social = np.full(groups, SOCIABLE)
    wrong = USUAL_WRONG * total
    spawns = np.maximum(count - wrong, 1)
    likely = np.zeros(len(support))
    for _ in range(25):
        chance = np.clip(wrong * MERGED_AREA / MAP_AREA, 0.02, 0.5)[group]
        lone = (1 - chance) * chance ** (support - 1)
        in_camp = social[group] * around
        place = in_camp + 1 - social[group]
        likely = spawns[group] * as_often * place
        likely /= likely + wrong[group] * lone + 1e-300
        social = (np.bincount(group, likely * in_camp / place, groups) + SOCIABLE) / (
            np.bincount(group, likely, groups) + 1
        )
        spawns = np.bincount(group, likely, groups)
        wrong = (np.maximum(count - spawns, 0) * count + USUAL_WEIGHT * USUAL_WRONG * total) / (count + USUAL_WEIGHT)
    spawn: Bools = (likely > 0.5) & (met.support > 0)
    return spawn


def _around(met: Meetings) -> Floats:
    """Return how much denser a creature's other clouds are around each of them than if they were anywhere."""
    group, groups = met.at.group, len(met.typical)
    weight = np.minimum(met.support / np.maximum(met.typical, 1)[group], 1.0)
    column = (met.at.x / CAMP_PCT).astype(np.int64) + 1
    row = (met.at.y / CAMP_PCT).astype(np.int64) + 1
    side = _SQUARES + 2
    square = (group * side + column) * side + row
    blurred = np.bincount(square, weight, groups * side * side).reshape(groups, side, side)
    for axis in (1, 2):
        blurred = 0.5 * blurred + 0.25 * (np.roll(blurred, 1, axis) + np.roll(blurred, -1, axis))
    others = np.maximum(np.bincount(group, weight, groups)[group] - weight, 0.5)
    around: Floats = np.maximum(blurred.reshape(-1)[square] - 0.25 * weight, 0) / others * MAP_AREA / CAMP_PCT**2
    return around
