"""Positions: outlines of zones, camps of creatures and patrols inside them.

Coordinates are percent of the zone's map, x to the right, y down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]

#: Smallest distance of two spawn points of a creature; closer ones could not be distinguished.
MIN_DISTANCE_PCT = 0.8


@dataclass(frozen=True)
class Outline:
    """A zone's shape: a circle of `radius_pct` around `center` with waves of 2 to 5 turns on it."""

    center: tuple[float, float]
    radius_pct: float
    waves: tuple[tuple[float, float], ...]

    def contains(self, points: Points) -> npt.NDArray[np.bool_]:
        """Return for each of the (n, 2) points whether it is inside."""
        offset = points - np.array(self.center)
        angle = np.arctan2(offset[:, 1], offset[:, 0])
        reach = np.ones(len(points))
        for turns, (height, phase) in enumerate(self.waves, start=2):
            reach += height * np.cos(turns * angle + phase)
        inside: npt.NDArray[np.bool_] = np.hypot(offset[:, 0], offset[:, 1]) < self.radius_pct * reach
        return inside & ((points > 1) & (points < 99)).all(axis=1)


def outline(rng: np.random.Generator) -> Outline:
    """Return the shape of a new zone."""
    return Outline(
        center=(float(rng.uniform(47, 53)), float(rng.uniform(47, 53))),
        radius_pct=float(rng.uniform(36, 44)),
        waves=tuple((float(rng.uniform(0, 0.12)), float(rng.uniform(0, 2 * np.pi))) for _ in range(4)),
    )


def inside(rng: np.random.Generator, shape: Outline, count: int) -> Points:
    """Return `count` points distributed evenly over a shape, (count, 2)."""
    found = np.empty((0, 2))
    while len(found) < count:
        tried = rng.uniform(0, 100, (4 * count + 8, 2))
        found = np.concatenate([found, tried[shape.contains(tried)]])
    return found[:count]


def camps(rng: np.random.Generator, shape: Outline, count: int) -> Points:
    """Return `count` spawn points in a few camps inside a shape, (count, 2), rounded to 0.1.

    A camp has about 8 of them, with a standard deviation of 1.5 to 4 percent around its middle. No two are closer than
    `MIN_DISTANCE_PCT`.
    """
    middles = inside(rng, shape, 1 + count // 9)
    widths = rng.uniform(1.5, 4.0, len(middles))
    points: list[Points] = []
    while len(points) < count:
        camp = int(rng.integers(len(middles)))
        tried = np.round(middles[camp] + rng.normal(0, widths[camp], 2), 1)
        widths[camp] *= 1.02  # a crowded camp grows, so that the loop ends
        taken = np.array(points).reshape(-1, 2)
        if shape.contains(tried[None])[0] and (np.hypot(*(taken - tried).T) >= MIN_DISTANCE_PCT).all():
            points.append(tried)
    return np.array(points)


def patrol(rng: np.random.Generator, shape: Outline) -> Points:
    """Return the corners of a path inside a shape, (4 to 7, 2), rounded to 0.1; steps are 2 to 6 percent long."""
    path = [inside(rng, shape, 1)[0]]
    heading, corners = rng.uniform(0, 2 * np.pi), int(rng.integers(4, 8))
    while len(path) < corners:
        heading += rng.normal(0, 0.7)
        step = rng.uniform(2, 6)
        tried = path[-1] + step * np.array([np.cos(heading), np.sin(heading)])
        if shape.contains(tried[None])[0]:
            path.append(tried)
        else:
            heading += np.pi / 2
    return np.round(np.array(path), 1)
