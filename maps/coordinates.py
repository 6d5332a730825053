"""Coordinates as `Habitat` packs them, and the union of several such lists. Pure: arrays in, arrays out.

A coordinate is one number, `x * 1024 + y`, with x and y in tenths of a percent of the zone's map (0…1000).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: y needs 0…1000, the next power of two lets both halves be had by shifting.
Y_BITS = 10
Y_MASK = (1 << Y_BITS) - 1

#: In `seen_by` the uploader takes the lower half of a 64-bit number.
UPLOADER_BITS = 32
#: How a pair lies in the bytes of `Habitat.seen_by`.
_PAIR = ">i8"
UPLOADER_MASK = (1 << UPLOADER_BITS) - 1


def pack(x_pct: float, y_pct: float) -> int:
    """Return the number of a coordinate in percent: `pack(21.6, 33)` is `216 * 1024 + 330`."""
    return round(x_pct * 10) << Y_BITS | round(y_pct * 10)


def unpack(xy: int) -> tuple[float, float]:
    """Return a packed coordinate in percent: `unpack(216 * 1024 + 330)` is `(21.6, 33.0)`."""
    return (xy >> Y_BITS) / 10, (xy & Y_MASK) / 10


@dataclass(frozen=True)
class Places:
    """Coordinates of one subject on one floor, as in `Habitat`: arrays in step, sorted by `xy`.

    `seen_by` (each pair of coordinate and uploader once, `xy << 32 | uploader`) is only needed for a union.
    """

    xy: Ints
    sightings: Ints
    uploaders: Ints
    first_seen: Ints
    last_seen: Ints
    seen_by: Ints | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Places:
        """Return the places held by a row of `Habitat`, its columns as lists, `seen_by` as bytes or None."""
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
        """`seen_by`, where it must have been read; raises ValueError where it was not."""
        if self.seen_by is None:
            raise ValueError("These places were read without seen_by, and uploaders are to be told apart.")
        return self.seen_by


def _ints(column: Sequence[int]) -> Ints:
    return np.asarray(column, dtype=np.int64)


def unite(parts: Sequence[Places]) -> Places:
    """Return the union of several subjects' places: every coordinate once.

    Sightings add up, uploaders are counted once over all parts, the days are the earliest and the latest.
    With more than one part each needs its `seen_by`.
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
    return Places(xy, sightings, uploaders, first_seen, last_seen, seen_by)
