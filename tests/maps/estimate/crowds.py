"""Generated sightings of creatures: (x, y, uploader), one per sighting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maps import coordinates
from maps.coordinates import Coordinates

Sightings = Sequence[tuple[float, float, int]]


def merged(seen: Sightings) -> Coordinates:
    """Return sightings as a fold merges them, each of them from an upload of its own."""
    packed = np.array([coordinates.pack(x, y) for x, y, _ in seen])
    pairs = np.unique(packed << coordinates.UPLOADER_BITS | np.array([uploader for *_, uploader in seen]))
    xy, sightings = np.unique(packed, return_counts=True)
    uploaders = np.bincount(np.searchsorted(xy, pairs >> coordinates.UPLOADER_BITS), minlength=len(xy))
    days = np.zeros(len(xy), dtype=np.int64)
    return Coordinates(xy, sightings, uploaders, days, days, pairs)


def around(points: Sequence[tuple[float, float]], std_pct: float, *, each: int, seed: int = 1) -> Sightings:
    """Return sightings of creatures that stand at these points, `each` per point, all by different players."""
    rng = np.random.default_rng(seed)
    at = np.repeat(np.array(points), each, axis=0)
    return _sightings(at + rng.normal(0, std_pct, at.shape), first_uploader=1)


def walking(route: Sequence[tuple[float, float]], std_pct: float, *, count: int, seed: int = 2) -> Sightings:
    """Return sightings of a creature that walks along a route, all by different players."""
    rng = np.random.default_rng(seed)
    corners = np.array(route)
    lengths = np.hypot(*np.diff(corners, axis=0).T)
    edge = rng.choice(len(lengths), count, p=lengths / lengths.sum())
    at = corners[edge] + rng.random((count, 1)) * np.diff(corners, axis=0)[edge]
    return _sightings(at + rng.normal(0, std_pct, at.shape), first_uploader=100_000)


def everywhere(count: int, seed: int = 3) -> Sightings:
    """Return sightings at random positions, as malicious uploads have them."""
    return _sightings(np.random.default_rng(seed).uniform(0, 100, (count, 2)), first_uploader=200_000)


def _sightings(at: np.ndarray, first_uploader: int) -> Sightings:
    return [
        (round(x, 1), round(y, 1), first_uploader + number) for number, (x, y) in enumerate(at.clip(0, 100).tolist())
    ]
