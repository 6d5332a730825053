"""Which points lie near which, for many separate maps at once. Pure: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Points are sorted into square cells of this size (percent); nothing further away is ever found.
CELL_PCT = 1.5
#: Pairs that are compared at once: a flood of coordinates in one place would else take gigabytes.
PAIRS_AT_ONCE = 500_000
#: Cells per side of a map of 0…100 percent, with a rim so that cells of two maps never touch.
_CELLS = int(100 / CELL_PCT) + 4


class Points:
    """Points on several maps, as arrays in step: `group` (which map), `x` and `y` in percent."""

    def __init__(self, group: Ints, x: Floats, y: Floats) -> None:
        self.group, self.x, self.y = group, x, y

    def __len__(self) -> int:
        return len(self.group)

    def __getitem__(self, which: Ints | Bools) -> Points:
        return Points(self.group[which], self.x[which], self.y[which])

    def cells(self) -> Ints:
        """Return each point's cell, numbered so that cells above each other follow each other."""
        column = (self.x / CELL_PCT).astype(np.int64) + 2
        row = (self.y / CELL_PCT).astype(np.int64) + 2
        return (self.group * _CELLS + column) * _CELLS + row


def near(points: Points, others: Points, radius: Floats) -> tuple[Ints, Ints, Floats]:
    """Return pairs of a point and another one of its map within `radius[group]`, `CELL_PCT` at most.

    Three arrays in step: rows of `points`, rows of `others`, squared distances. A point that is in both
    is near itself.
    """
    cells = others.cells()
    order = np.argsort(cells, kind="stable")
    cells = cells[order]
    at = points.cells()
    found = []
    for columns in (-_CELLS, 0, _CELLS):
        first = np.searchsorted(cells, at + (columns - 1), "left")
        count = np.searchsorted(cells, at + (columns + 1), "right") - first
        for block in _blocks(count):
            point = np.repeat(block, count[block])
            begin = first[block] - (np.cumsum(count[block]) - count[block])
            other = order[np.arange(len(point)) + np.repeat(begin, count[block])]
            square = (points.x[point] - others.x[other]) ** 2 + (points.y[point] - others.y[other]) ** 2
            close = square <= radius[points.group[point]] ** 2
            found.append((point[close], other[close], square[close]))
    point, other, square = (np.concatenate(column) for column in zip(*found, strict=True))
    return point, other, square


def _blocks(count: Ints) -> Iterator[Ints]:
    """Yield all rows in blocks whose counts add up to `PAIRS_AT_ONCE`, or more for a single row; one block at least."""
    running = np.cumsum(count)
    begin = 0
    while True:
        before = int(running[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(running, before + PAIRS_AT_ONCE, "right")), begin + 1)
        yield np.arange(begin, min(end, len(count)))
        begin = end
        if begin >= len(count):
            return


def connected(count: int, first: Ints, second: Ints) -> Ints:
    """Return for each of `count` nodes the lowest node it is connected with, given edges as two arrays in step."""
    label = np.arange(count)
    while True:
        lowest = label.copy()
        np.minimum.at(lowest, first, label[second])
        np.minimum.at(lowest, second, label[first])
        lowest = lowest[lowest]
        if np.array_equal(lowest, label):
            return label
        label = lowest
