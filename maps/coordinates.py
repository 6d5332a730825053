"""Coordinates as `Habitat` packs them, and the union of several lists of them. Pure: arrays in, arrays out.

A coordinate is one number, `x * 1024 + y`, with x and y in tenths of a percent of the zone's map (0…1000).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: y needs 0…1000. With the next power of two, x and y are separated by a shift and a mask.
Y_BITS = 10
Y_MASK = (1 << Y_BITS) - 1

#: The uploader is the lower half of the 64-bit numbers in `seen_by`.
UPLOADER_BITS = 32
UPLOADER_MASK = (1 << UPLOADER_BITS) - 1
#: Byte order and size of one pair in `Habitat.seen_by`.
_PAIR = ">i8"


def pack(x_pct: float, y_pct: float) -> int:
    """Return the number of a coordinate in percent: `pack(21.6, 33)` is `216 * 1024 + 330`."""
    return round(x_pct * 10) << Y_BITS | round(y_pct * 10)


def unpack(xy: int) -> tuple[float, float]:
    """Return a packed coordinate in percent: `unpack(216 * 1024 + 330)` is `(21.6, 33.0)`."""
    return (xy >> Y_BITS) / 10, (xy & Y_MASK) / 10


@dataclass(frozen=True)
class Coordinates:
    """Coordinates of one subject on one floor, as in `Habitat`: parallel arrays, sorted by `xy`.

    `seen_by` holds each pair of coordinate and uploader once, as `xy << 32 | uploader`. Only a union needs it.
    """

    xy: Ints
    sightings: Ints
    uploaders: Ints
    first_seen: Ints
    last_seen: Ints
    seen_by: Ints | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Coordinates:
        """Return the coordinates in a row of `Habitat`, its columns as lists, `seen_by` as bytes or None."""
        return cls(
            xy=_ints(row["xy"]),
            sightings=_ints(row["sightings"]),
            uploaders=_ints(row["uploaders"]),
            first_seen=_ints(row["first_seen"]),
            last_seen=_ints(row["last_seen"]),
            seen_by=None if row["seen_by"] is None else np.frombuffer(row["seen_by"], _PAIR).astype(np.int64),
        )

    @property
    def pairs(self) -> Ints:
        """Return `seen_by`. Raises `ValueError` if it was not read."""
        if self.seen_by is None:
            raise ValueError("These coordinates were read without seen_by, so uploaders can't be distinguished.")
        return self.seen_by


def _ints(column: Sequence[int]) -> Ints:
    return np.asarray(column, dtype=np.int64)


def unite(parts: Sequence[Coordinates]) -> Coordinates:
    """Return the union of several subjects' coordinates: every coordinate once.

    Sightings add up, each uploader of a coordinate counts once over all parts, and the days are the earliest and
    the latest. If there are several parts, each needs its `seen_by`.
    """
    if len(parts) == 1:
        return parts[0]
    seen_by = np.unique(np.concatenate([part.seen_by for part in parts if part.seen_by is not None]))
    xy, group = np.unique(np.concatenate([part.xy for part in parts]), return_inverse=True)
    sightings = np.zeros(len(xy), dtype=np.int64)
    np.add.at(sightings, group, np.concatenate([part.sightings for part in parts]))
    first_seen = np.full(len(xy), np.iinfo(np.int64).max)
    np.minimum.at(first_seen, group, np.concatenate([part.first_seen for part in parts]))
    last_seen = np.full(len(xy), np.iinfo(np.int64).min)
    np.maximum.at(last_seen, group, np.concatenate([part.last_seen for part in parts]))
    uploaders = np.bincount(np.searchsorted(xy, seen_by >> UPLOADER_BITS), minlength=len(xy)).astype(np.int64)
    return Coordinates(xy, sightings, uploaders, first_seen, last_seen, seen_by)
