"""Spawn points from coordinates: where a creature stands, given where players stood when they saw it. Pure.

A coordinate is the player's, somewhere within interaction range of the creature. So the coordinates of
one creature are a mixture: a round cloud per spawn point, all of one spread (the creature's), a few
coordinates that are wrong or made up, evenly over the map, and those along patrols. The steps:

1. every coordinate that is the densest within a step of it starts a cloud (far too many);
2. expectation-maximisation settles centres, sizes, the creature's spread and the share of wrong ones;
3. two clouds become one where one explains the coordinates as well, and 2 is repeated;
4. clouds too small to be one of this creature's spawn points are taken for wrong coordinates, or,
   where they form a chain, for a patrol (`maps.estimate.patrols`).

Many creatures are estimated at once: numpy's cost per call would otherwise be most of the time.
See docs/spawns.md for the reasons, the figures and the limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from maps import coordinates
from maps.coordinates import Places
from maps.estimate.cluster_support import are_spawns, meet
from maps.estimate.patrols import Patrol, find_patrols
from maps.estimate.spatial_index import CELL_PCT, Bools, Floats, Ints, Points, near

#: A spawn point is confirmed once so many distinct uploaders have seen it.
CONFIRMED_UPLOADERS = 2
#: The map's own resolution: clouds closer than this (percent) are one spawn point to a reader.
RESOLUTION_PCT = 0.55
#: The spread (standard deviation, percent) before anything is known of a creature, and how many
#: coordinates that guess weighs. The bounds keep it between the grid of 0.1 and the clouds' search range.
TYPICAL_SPREAD_PCT, SPREAD_WEIGHT = 0.2, 6.0
LEAST_SPREAD_PCT, MOST_SPREAD_PCT = 0.07, 0.42
#: Half the width of the window in which a coordinate must be the densest to start a cloud: two steps of
#: the grid of 0.1. Smaller starts more clouds than there is anything to tell apart.
START_DISTANCE_PCT = 0.2
#: What a further cloud must gain in log-likelihood: its three parameters, in the manner of Akaike and BIC.
GAIN_PER_CLOUD = 4.0
#: The share of wrong coordinates before anything is known of a creature.
USUAL_WRONG = 0.02
MAP_AREA = 100.0 * 100.0
#: Rounds of settling and merging, and steps of expectation-maximisation in each.
ROUNDS, STEPS = 5, 4
#: Clouds that hold less than this expected coordinate have lost all of theirs to neighbours.
LEAST_SIZE = 0.3
#: Of a place with more distinct coordinates the most confirmed ones are taken: some 400 spawn points
#: seen from every side. This and the batches bound the memory; small batches stay in the processor's cache.
MAX_COORDINATES = 30_000
BATCH_COORDINATES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A creature's spawn points on one floor, as arrays in step, and its patrols.

    `x`, `y` and `radius` (standard deviation of the coordinates behind it) are percent of the zone's map.
    """

    x: Floats
    y: Floats
    radius: Floats
    sightings: Ints
    uploaders: Ints
    patrols: list[Patrol] = field(default_factory=list)

    @property
    def confirmed(self) -> Bools:
        """Whether several independent uploaders have seen it."""
        return self.uploaders >= CONFIRMED_UPLOADERS


@dataclass
class _Clouds:
    """Clouds of several creatures: `at` their centres, `size` in coordinates, each weighted by its uploaders."""

    at: Points
    size: Floats

    def __getitem__(self, which: Ints | Bools) -> _Clouds:
        return _Clouds(self.at[which], self.size[which])


@dataclass
class _Mixture:
    """What the clouds have in common, per creature: squared spread and density of wrong coordinates."""

    variance: Floats
    wrong: Floats


@dataclass(frozen=True)
class _Seen:
    """Distinct coordinates of several creatures, each weighted by its uploaders; `total` is the weight per creature."""

    at: Points
    weight: Floats
    total: Floats

    @classmethod
    def of(cls, batch: list[Places]) -> _Seen:
        xy = np.concatenate([each.xy for each in batch])
        group = np.repeat(np.arange(len(batch)), [len(each.xy) for each in batch])
        weight = np.concatenate([each.uploaders for each in batch]).astype(float)
        at = Points(group, (xy >> coordinates.Y_BITS) / 10, (xy & coordinates.Y_MASK) / 10)
        return cls(at, weight, np.bincount(group, weight, len(batch)).astype(np.float64))

    @property
    def usually_wrong(self) -> Floats:
        """The density of wrong coordinates to reckon with, per creature."""
        return np.maximum(USUAL_WRONG * self.total, 0.05) / MAP_AREA


def estimate(places: Iterable[Places]) -> Iterator[Estimate]:
    """Yield the spawn points behind each creature's coordinates on one floor, in order.

    Every `Places` needs its `seen_by`: coordinates weigh by their distinct uploaders. Never more than a
    batch of them is held, so `places` may be read from the database as they are needed.
    """
    for batch in _batches(places):
        yield from _estimate_batch(batch)


def _batches(places: Iterable[Places]) -> Iterator[list[Places]]:
    batch: list[Places] = []
    size = 0
    for whole in places:
        each = _most_confirmed(whole)
        if batch and size + len(each.xy) > BATCH_COORDINATES:
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += len(each.xy)
    if batch:
        yield batch


def _most_confirmed(places: Places) -> Places:
    if len(places.xy) <= MAX_COORDINATES:
        return places
    kept = np.sort(np.argsort(-places.uploaders, kind="stable")[:MAX_COORDINATES])
    return Places(
        places.xy[kept],
        places.sightings[kept],
        places.uploaders[kept],
        places.first_seen[kept],
        places.last_seen[kept],
        places.pairs[np.isin(places.pairs >> coordinates.UPLOADER_BITS, places.xy[kept])],
    )


def _estimate_batch(batch: list[Places]) -> list[Estimate]:
    seen = _Seen.of(batch)
    clouds, mixture = _fit(seen)
    met = meet(batch, seen.at, _members(seen.at, clouds, mixture), clouds.at)
    spawns = are_spawns(met, seen.total)
    patrols = find_patrols(met)
    on_patrol = np.zeros(len(met.support), dtype=bool)
    for _, patrol in patrols:
        on_patrol[patrol.clouds] = True
    rows = np.flatnonzero(spawns & ~on_patrol)
    cut = np.searchsorted(met.at.group[rows], np.arange(len(batch) + 1))
    found = []
    for number, (first, last) in enumerate(pairwise(cut.tolist())):
        own = rows[first:last]
        found.append(
            Estimate(
                met.at.x[own].clip(0, 100),  # a mean at the rim may lie a rounding error past it
                met.at.y[own].clip(0, 100),
                met.radius[own],
                met.sightings[own],
                met.uploaders[own],
                [patrol for where, patrol in patrols if where == number],
            )
        )
    return found


def _fit(seen: _Seen) -> tuple[_Clouds, _Mixture]:
    """Return the clouds that explain these coordinates best, sorted by creature, and what they share."""
    clouds = _start(seen)
    mixture = _Mixture(np.full(len(seen.total), TYPICAL_SPREAD_PCT**2), seen.usually_wrong)
    for round_ in range(ROUNDS):
        _settle(clouds, mixture, seen)
        clouds = clouds[clouds.size > LEAST_SIZE]
        if round_ < ROUNDS - 1:
            clouds = _merge(clouds, mixture)
    return clouds[np.argsort(clouds.at.group, kind="stable")], mixture


def _start(seen: _Seen) -> _Clouds:
    """Return a cloud at each coordinate that is the densest in a small window."""
    point, other, square = near(seen.at, seen.at, np.full(len(seen.total), 2.5 * TYPICAL_SPREAD_PCT))
    density = np.bincount(point, seen.weight[other] * np.exp(-square / (2 * TYPICAL_SPREAD_PCT**2)), len(seen.at))
    # Of equally dense neighbours the later one starts a cloud.
    denser = (density[other] > density[point]) | ((density[other] == density[point]) & (other > point))
    beaten = np.bincount(point, denser & (square <= START_DISTANCE_PCT**2 + 1e-6), len(seen.at))
    start = np.flatnonzero(beaten == 0)
    return _Clouds(seen.at[start], density[start].astype(np.float64))


def _settle(clouds: _Clouds, mixture: _Mixture, seen: _Seen) -> None:
    """Improve clouds and mixture in place by some steps of expectation-maximisation.

    The spread takes off a degree of freedom per cloud (its centre is an estimate) and leans on the typical
    one; a lone coordinate tells nothing of it.
    """
    groups = len(seen.total)
    point, cloud, _ = near(seen.at, clouds.at, _reach(mixture))
    group, weight, x, y = seen.at.group[point], seen.weight[point], seen.at.x[point], seen.at.y[point]
    for _ in range(STEPS):
        square = (x - clouds.at.x[cloud]) ** 2 + (y - clouds.at.y[cloud]) ** 2
        share = _densities(clouds, mixture, cloud, square, group)
        share *= weight / (np.bincount(point, share, len(seen.at)) + mixture.wrong[seen.at.group])[point]
        size = np.maximum(np.bincount(cloud, share, len(clouds.size)), 1e-6)
        clouds.at.x = np.bincount(cloud, share * x, len(size)) / size
        clouds.at.y = np.bincount(cloud, share * y, len(size)) / size
        clouds.size = size
        squares = np.bincount(group, share * square, groups)
        explained = np.bincount(clouds.at.group, size, groups)
        freedom = 2 * (explained - np.bincount(clouds.at.group, np.minimum(size, 1), groups))
        mixture.variance = np.clip(
            (squares + 2 * SPREAD_WEIGHT * TYPICAL_SPREAD_PCT**2) / (freedom + 2 * SPREAD_WEIGHT),
            LEAST_SPREAD_PCT**2,
            MOST_SPREAD_PCT**2,
        )
        mixture.wrong = 0.9 * np.maximum(seen.total - explained, 0) / MAP_AREA + 0.1 * seen.usually_wrong


def _reach(mixture: _Mixture) -> Floats:
    """Return how far from its centre a cloud is looked for, per creature."""
    return np.minimum(3.5 * np.sqrt(mixture.variance) + 0.2, CELL_PCT)


def _densities(clouds: _Clouds, mixture: _Mixture, cloud: Ints, square: Floats, group: Ints) -> Floats:
    """Return the density of each pair's cloud at the pair's distance."""
    variance = mixture.variance[group]
    density: Floats = clouds.size[cloud] * np.exp(-square / (2 * variance)) / (2 * np.pi * variance)
    return density


def _merge(clouds: _Clouds, mixture: _Mixture) -> _Clouds:
    """Join clouds that are one as likely as two, those that gain least by being two first.

    Two clouds gain the squares between their centres and lose the uncertainty of which of them a
    coordinate belongs to (the classification likelihood of Ward's clustering).
    """
    while True:
        first, second, square = near(clouds.at, clouds.at, np.full(len(mixture.variance), CELL_PCT))
        once = first < second
        first, second, square = first[once], second[once], square[once]
        one, other = clouds.size[first], clouds.size[second]
        both = one + other
        gain = one * other / both * square / (2 * mixture.variance[clouds.at.group[first]])
        gain -= both * np.log(both) - one * np.log(one) - other * np.log(other)
        gain -= GAIN_PER_CLOUD
        # Too close to be told apart: in any case, the closest first.
        gain = np.where(square < RESOLUTION_PCT**2, -10 - 1 / (square + 1e-3), gain)
        least = np.zeros(len(clouds.size))
        np.minimum.at(least, first, gain)
        np.minimum.at(least, second, gain)
        join = (gain < 0) & (gain == least[first]) & (gain == least[second])
        # Equal gains could name one cloud twice: the first pair of each is joined now, the others next time.
        rows = np.flatnonzero(join)
        rows = rows[_first_of_each(first[rows]) & _first_of_each(second[rows])]
        rows = rows[~np.isin(second[rows], first[rows])]
        if not len(rows):
            return clouds
        kept, gone = first[rows], second[rows]
        size = clouds.size[kept] + clouds.size[gone]
        for axis in (clouds.at.x, clouds.at.y):
            axis[kept] = (axis[kept] * clouds.size[kept] + axis[gone] * clouds.size[gone]) / size
        clouds.size[kept] = size
        clouds = clouds[np.delete(np.arange(len(clouds.size)), gone)]


def _first_of_each(rows: Ints) -> Bools:
    first = np.zeros(len(rows), dtype=bool)
    first[np.unique(rows, return_index=True)[1]] = True
    return first


def _members(seen: Points, clouds: _Clouds, mixture: _Mixture) -> Ints:
    """Return the row of the cloud that each coordinate belongs to, -1 where it is likelier a wrong one."""
    point, cloud, square = near(seen, clouds.at, _reach(mixture))
    share = _densities(clouds, mixture, cloud, square, seen.group[point])
    order = np.lexsort((share, point))
    last = np.append(np.diff(point[order]) > 0, True) if len(order) else np.zeros(0, dtype=bool)
    best = order[last]
    best = best[share[best] > mixture.wrong[seen.group[point[best]]]]
    member = np.full(len(seen), -1)
    member[point[best]] = cloud[best]
    return member
