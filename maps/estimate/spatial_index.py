"""Pairs of nearby points, for many separate groups of points at once. Pure: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Side of the square cells that points are sorted into (percent). Pairs further apart are never found.
CELL_PCT = 1.5
#: Number of pairs compared at once. It bounds the memory: many coordinates in one cell could else take gigabytes.
PAIRS_AT_ONCE = 500_000
#: Cells per side of a map of 0…100 percent, with a margin so that cells of two groups are never adjacent.
_CELLS = int(100 / CELL_PCT) + 4


class Points:
    """Points of several groups as parallel arrays: `group` (a number), `x` and `y` in percent."""

    def __init__(self, group: Ints, x: Floats, y: Floats) -> None:
        self.group, self.x, self.y = group, x, y

    def __len__(self) -> int:
        return len(self.group)

    def __getitem__(self, which: Ints | Bools) -> Points:
        return Points(self.group[which], self.x[which], self.y[which])

    def cells(self) -> Ints:
        """Return each point's cell number. Vertically adjacent cells have consecutive numbers."""
        column = (self.x / CELL_PCT).astype(np.int64) + 2
        row = (self.y / CELL_PCT).astype(np.int64) + 2
        return (self.group * _CELLS + column) * _CELLS + row


def pairs_within(points: Points, others: Points, radius: Floats) -> tuple[Ints, Ints, Floats]:
    """Return all pairs of points of the same group that are at most `radius[group]` (up to `CELL_PCT`) apart.

    Three parallel arrays: rows of `points`, rows of `others`, squared distances. A point that is in both
    inputs is paired with itself.
    """
    cells = others.cells()
    order = np.argsort(cells, kind="stable")
    cells = cells[order]
    cell = points.cells()
    found = []
    for columns in (-_CELLS, 0, _CELLS):
        first = np.searchsorted(cells, cell + (columns - 1), "left")
        count = np.searchsorted(cells, cell + (columns + 1), "right") - first
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
    """Yield all rows in blocks whose counts add up to at most `PAIRS_AT_ONCE`.

    A block of a single row may exceed that. Without rows there is one empty block.
    """
    running = np.cumsum(count)
    begin = 0
    while True:
        before = int(running[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(running, before + PAIRS_AT_ONCE, "right")), begin + 1)
        yield np.arange(begin, min(end, len(count)))
        begin = end
        if begin >= len(count):
            return


def connected_components(count: int, first: Ints, second: Ints) -> Ints:
    """Return for each of `count` nodes the lowest node of its component, given edges as two parallel arrays."""
    label = np.arange(count)
    while True:
        lowest = label.copy()
        np.minimum.at(lowest, first, label[second])
        np.minimum.at(lowest, second, label[first])
        lowest = lowest[lowest]
        if np.array_equal(lowest, label):
            return label
        label = lowest
