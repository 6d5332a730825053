"""Estimate spawn points from coordinates: where a creature stands, given where players stood when they saw it. Pure.

A coordinate is the player's, somewhere within interaction range of the creature. The coordinates of one creature are
therefore modeled as a mixture: a round normal component per spawn point, all with the same standard deviation (the
creature's), and noise: wrong or invented coordinates, uniform over the map. The steps:

1. every coordinate that is the densest in a small window starts a component (far too many);
2. expectation-maximization fits centers, sizes, the creature's standard deviation and its share of noise;
3. two components are merged if one explains their coordinates as well, and step 2 is repeated;
4. each coordinate is assigned to its most likely component, which makes clusters of coordinates; clusters that are
   too small to be spawn points of this creature are noise, or a patrol if they form a chain
   (`maps.estimate.cluster_support`, `maps.estimate.patrols`).

Many creatures are estimated at once: numpy's cost per call would otherwise be most of the time.
docs/spawns.md holds the reasons, the figures and the limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from maps import coordinates
from maps.coordinates import Coordinates
from maps.estimate.cluster_support import are_spawn_points, measure
from maps.estimate.patrols import Patrol, find_patrols
from maps.estimate.spatial_index import CELL_PCT, Bools, Floats, Ints, Points, pairs_within

#: A spawn point is confirmed once this many distinct uploaders have seen it.
CONFIRMED_UPLOADERS = 2
#: The map's own resolution: components closer than this (percent) are one spawn point to a reader.
RESOLUTION_PCT = 0.55
#: Prior standard deviation (percent) of a creature's coordinates, and how many coordinates that prior weighs.
#: The limits keep it between the grid of 0.1 and the radius in which components are searched.
PRIOR_STD_PCT, PRIOR_WEIGHT = 0.2, 6.0
MIN_STD_PCT, MAX_STD_PCT = 0.07, 0.42
#: Half the width of the window in which a coordinate must be the densest to start a component: two steps of
#: the grid of 0.1. A smaller one starts more components than can be distinguished.
START_DISTANCE_PCT = 0.2
#: Log-likelihood that a further component must gain: the cost of its three parameters, similar to AIC and BIC.
GAIN_PER_COMPONENT = 4.0
#: Prior share of noise among a creature's coordinates.
PRIOR_NOISE = 0.02
MAP_AREA = 100.0 * 100.0
#: Rounds of fitting and merging, and steps of expectation-maximization in each.
ROUNDS, STEPS = 5, 4
#: Components with a smaller expected number of coordinates have lost theirs to neighbors.
MIN_SIZE = 0.3
#: Of a habitat with more distinct coordinates only the most confirmed ones are used: some 400 spawn points
#: seen from every side. This and the batches bound the memory; small batches stay in the processor's cache.
MAX_COORDINATES = 30_000
BATCH_COORDINATES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A creature's spawn points on one floor, as parallel arrays, and its patrols.

    `x`, `y` and `radius` (root mean square distance of the coordinates behind the point) are percent of the zone's map.
    """

    x: Floats
    y: Floats
    radius: Floats
    sightings: Ints
    uploaders: Ints
    patrols: list[Patrol] = field(default_factory=list)

    @property
    def confirmed(self) -> Bools:
        """Return which spawn points several independent uploaders have seen."""
        return self.uploaders >= CONFIRMED_UPLOADERS


@dataclass
class _Components:
    """Mixture components of several creatures; `size` is the expected number of coordinates, weighted by uploaders."""

    center: Points
    size: Floats

    def __getitem__(self, which: Ints | Bools) -> _Components:
        return _Components(self.center[which], self.size[which])


@dataclass
class _Shared:
    """Parameters that all components of a creature share, per creature: variance, and density of the noise."""

    variance: Floats
    noise: Floats


@dataclass(frozen=True)
class _Observed:
    """Distinct coordinates of several creatures, weighted by their uploaders; `total` is the weight per creature."""

    points: Points
    weight: Floats
    total: Floats

    @classmethod
    def of(cls, batch: list[Coordinates]) -> _Observed:
        xy = np.concatenate([each.xy for each in batch])
        group = np.repeat(np.arange(len(batch)), [len(each.xy) for each in batch])
        weight = np.concatenate([each.uploaders for each in batch]).astype(float)
        points = Points(group, (xy >> coordinates.Y_BITS) / 10, (xy & coordinates.Y_MASK) / 10)
        return cls(points, weight, np.bincount(group, weight, len(batch)).astype(np.float64))

    @property
    def prior_noise(self) -> Floats:
        """Return the prior density of noise, per creature."""
        return np.maximum(PRIOR_NOISE * self.total, 0.05) / MAP_AREA


def estimate(habitats: Iterable[Coordinates]) -> Iterator[Estimate]:
    """Yield the spawn points behind each habitat's coordinates, in order.

    All `Coordinates` need their `seen_by`: coordinates are weighted by distinct uploaders. At most a batch of them
    is held in memory, so `habitats` may be read from the database as they are needed.
    """
    for batch in _batches(habitats):
        yield from _estimate_batch(batch)


def _batches(habitats: Iterable[Coordinates]) -> Iterator[list[Coordinates]]:
    batch: list[Coordinates] = []
    size = 0
    for whole in habitats:
        each = _of_most_uploaders(whole)
        if batch and size + len(each.xy) > BATCH_COORDINATES:
            yield batch
            batch, size = [], 0
        batch.append(each)
        size += len(each.xy)
    if batch:
        yield batch


def _of_most_uploaders(known: Coordinates) -> Coordinates:
    """Return at most `MAX_COORDINATES` of a habitat, those with the most uploaders."""
    if len(known.xy) <= MAX_COORDINATES:
        return known
    kept = np.sort(np.argsort(-known.uploaders, kind="stable")[:MAX_COORDINATES])
    return Coordinates(
        known.xy[kept],
        known.sightings[kept],
        known.uploaders[kept],
        known.first_seen[kept],
        known.last_seen[kept],
        known.pairs[np.isin(known.pairs >> coordinates.UPLOADER_BITS, known.xy[kept])],
    )


def _estimate_batch(batch: list[Coordinates]) -> list[Estimate]:
    observed = _Observed.of(batch)
    components, shared = _fit(observed)
    clusters = measure(batch, observed.points, _assign(observed.points, components, shared), components.center)
    spawns = are_spawn_points(clusters, observed.total)
    patrols = find_patrols(clusters)
    on_patrol = np.zeros(len(clusters.support), dtype=bool)
    for _, patrol in patrols:
        on_patrol[patrol.clusters] = True
    rows = np.flatnonzero(spawns & ~on_patrol)
    bounds = np.searchsorted(clusters.center.group[rows], np.arange(len(batch) + 1))
    found = []
    for number, (first, last) in enumerate(pairwise(bounds.tolist())):
        own = rows[first:last]
        found.append(
            Estimate(
                clusters.center.x[own].clip(0, 100),  # a mean at the edge may be outside by a rounding error
                clusters.center.y[own].clip(0, 100),
                clusters.radius[own],
                clusters.sightings[own],
                clusters.uploaders[own],
                [patrol for creature, patrol in patrols if creature == number],
            )
        )
    return found


def _fit(observed: _Observed) -> tuple[_Components, _Shared]:
    """Return the components that explain the coordinates best, sorted by creature, and their shared parameters."""
    components = _start(observed)
    shared = _Shared(np.full(len(observed.total), PRIOR_STD_PCT**2), observed.prior_noise)
    for round_ in range(ROUNDS):
        _maximize_expectation(components, shared, observed)
        components = components[components.size > MIN_SIZE]
        if round_ < ROUNDS - 1:
            components = _merge(components, shared)
    return components[np.argsort(components.center.group, kind="stable")], shared


def _start(observed: _Observed) -> _Components:
    """Return a component at each coordinate that is the densest in a small window."""
    count = len(observed.points)
    point, other, square = pairs_within(
        observed.points, observed.points, np.full(len(observed.total), 2.5 * PRIOR_STD_PCT)
    )
    density = np.bincount(point, observed.weight[other] * np.exp(-square / (2 * PRIOR_STD_PCT**2)), count)
    # Of equally dense neighbors the later one starts a component.
    denser = (density[other] > density[point]) | ((density[other] == density[point]) & (other > point))
    beaten = np.bincount(point, denser & (square <= START_DISTANCE_PCT**2 + 1e-6), count)
    start = np.flatnonzero(beaten == 0)
    return _Components(observed.points[start], density[start].astype(np.float64))


def _maximize_expectation(components: _Components, shared: _Shared, observed: _Observed) -> None:
    """Improve components and shared parameters in place by some steps of expectation-maximization.

    The variance loses a degree of freedom per component (its center is an estimate) and is pulled towards the prior:
    a component with a single coordinate says nothing about the variance.
    """
    groups, center = len(observed.total), components.center
    point, component, _ = pairs_within(observed.points, center, _search_radius(shared))
    group, weight = observed.points.group[point], observed.weight[point]
    x, y = observed.points.x[point], observed.points.y[point]
    for _ in range(STEPS):
        square = (x - center.x[component]) ** 2 + (y - center.y[component]) ** 2
        share = _densities(components, shared, component, square, group)
        explained = np.bincount(point, share, len(observed.points))
        share *= weight / (explained + shared.noise[observed.points.group])[point]
        size = np.maximum(np.bincount(component, share, len(components.size)), 1e-6)
        center.x = np.bincount(component, share * x, len(size)) / size
        center.y = np.bincount(component, share * y, len(size)) / size
        components.size = size
        squares = np.bincount(group, share * square, groups)
        in_components = np.bincount(center.group, size, groups)
        freedom = 2 * (in_components - np.bincount(center.group, np.minimum(size, 1), groups))
        shared.variance = np.clip(
            (squares + 2 * PRIOR_WEIGHT * PRIOR_STD_PCT**2) / (freedom + 2 * PRIOR_WEIGHT),
            MIN_STD_PCT**2,
            MAX_STD_PCT**2,
        )
        noise = np.maximum(observed.total - in_components, 0) / MAP_AREA
        shared.noise = 0.9 * noise + 0.1 * observed.prior_noise


def _search_radius(shared: _Shared) -> Floats:
    """Return the distance from its center up to which a component can explain coordinates, per creature."""
    return np.minimum(3.5 * np.sqrt(shared.variance) + 0.2, CELL_PCT)


def _densities(components: _Components, shared: _Shared, component: Ints, square: Floats, group: Ints) -> Floats:
    """Return for each pair the density of its component at the pair's squared distance."""
    variance = shared.variance[group]
    density: Floats = components.size[component] * np.exp(-square / (2 * variance)) / (2 * np.pi * variance)
    return density


def _merge(components: _Components, shared: _Shared) -> _Components:
    """Merge pairs of components that are as likely one, those that gain least from being two first."""
    while True:
        kept, removed = _mergeable(components, shared)
        if not len(kept):
            return components
        center, size = components.center, components.size[kept] + components.size[removed]
        for axis in (center.x, center.y):
            axis[kept] = (axis[kept] * components.size[kept] + axis[removed] * components.size[removed]) / size
        components.size[kept] = size
        components = components[np.delete(np.arange(len(components.size)), removed)]


def _mergeable(components: _Components, shared: _Shared) -> tuple[Ints, Ints]:
    """Return pairs of components to merge now, as two parallel arrays in which each component occurs at most once.

    Merging two components costs likelihood, as their coordinates are farther from the common center, and gains some, as
    each coordinate then belongs to one component with certainty (the classification likelihood of Ward's clustering).
    """
    first, second, square = pairs_within(components.center, components.center, np.full(len(shared.variance), CELL_PCT))
    once = first < second
    first, second, square = first[once], second[once], square[once]
    one, other = components.size[first], components.size[second]
    both = one + other
    gain = one * other / both * square / (2 * shared.variance[components.center.group[first]])
    gain -= both * np.log(both) - one * np.log(one) - other * np.log(other)
    gain -= GAIN_PER_COMPONENT
    # Below the map's resolution they are merged in any case, the closest first.
    gain = np.where(square < RESOLUTION_PCT**2, -10 - 1 / (square + 1e-3), gain)
    least = np.zeros(len(components.size))
    np.minimum.at(least, first, gain)
    np.minimum.at(least, second, gain)
    join = (gain < 0) & (gain == least[first]) & (gain == least[second])
    # With equal gains a component may be in several pairs: the first of them is merged now, the others next time.
    rows = np.flatnonzero(join)
    rows = rows[_first_of_each(first[rows]) & _first_of_each(second[rows])]
    rows = rows[~np.isin(second[rows], first[rows])]
    return first[rows], second[rows]


def _first_of_each(rows: Ints) -> Bools:
    first = np.zeros(len(rows), dtype=bool)
    first[np.unique(rows, return_index=True)[1]] = True
    return first


def _assign(points: Points, components: _Components, shared: _Shared) -> Ints:
    """Return the row of the component that each coordinate most likely belongs to, -1 if noise is more likely."""
    point, component, square = pairs_within(points, components.center, _search_radius(shared))
    share = _densities(components, shared, component, square, points.group[point])
    order = np.lexsort((share, point))
    last = np.append(np.diff(point[order]) > 0, True) if len(order) else np.zeros(0, dtype=bool)
    best = order[last]
    best = best[share[best] > shared.noise[points.group[point[best]]]]
    member = np.full(len(points), -1)
    member[point[best]] = component[best]
    return member
