"""Made-up meetings of players and creatures: (x, y, uploader), one per sighting."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maps import coordinates
from maps.coordinates import Places

Met = Sequence[tuple[float, float, int]]


def places(met: Met) -> Places:
    """Return meetings as they are merged: each upload of a player lists a coordinate once."""
    packed = np.array([coordinates.pack(x, y) for x, y, _ in met])
    pairs = np.unique(packed << coordinates.UPLOADER_BITS | np.array([uploader for *_, uploader in met]))
    xy, sightings = np.unique(packed, return_counts=True)
    uploaders = np.bincount(np.searchsorted(xy, pairs >> coordinates.UPLOADER_BITS), minlength=len(xy))
    days = np.zeros(len(xy), dtype=np.int64)
    return Places(xy, sightings, uploaders, days, days, pairs)


def around(points: Sequence[tuple[float, float]], spread: float, *, each: int, seed: int = 1) -> Met:
    """Return meetings with creatures that stand at these points, `each` by another player."""
    rng = np.random.default_rng(seed)
    at = np.repeat(np.array(points), each, axis=0)
    return _met(at + rng.normal(0, spread, at.shape), first_uploader=1)


def walking(way: Sequence[tuple[float, float]], spread: float, *, count: int, seed: int = 2) -> Met:
    """Return meetings with a creature that walks along a way, each by another player."""
    rng = np.random.default_rng(seed)
    corners = np.array(way)
    lengths = np.hypot(*np.diff(corners, axis=0).T)
    leg = rng.choice(len(lengths), count, p=lengths / lengths.sum())
    at = corners[leg] + rng.random((count, 1)) * np.diff(corners, axis=0)[leg]
    return _met(at + rng.normal(0, spread, at.shape), first_uploader=100_000)


def everywhere(count: int, seed: int = 3) -> Met:
    """Return random positions, as a vandal would send them."""
    return _met(np.random.default_rng(seed).uniform(0, 100, (count, 2)), first_uploader=200_000)


def _met(at: np.ndarray, first_uploader: int) -> Met:
    return [
        (round(x, 1), round(y, 1), first_uploader + number) for number, (x, y) in enumerate(at.clip(0, 100).tolist())
    ]
