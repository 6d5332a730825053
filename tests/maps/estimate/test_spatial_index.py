"""Pairs of nearby points, and components of a graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maps.estimate import spatial_index
from maps.estimate.spatial_index import Points, connected_components, pairs_within

_points = st.lists(st.tuples(st.integers(0, 2), st.floats(0, 100), st.floats(0, 100)), max_size=30)


@given(_points, _points)
def test_pairs_within_a_radius_are_those_that_comparing_all_with_all_finds(ones: list, others: list):
    one, other = (
        Points(*(np.array([row[at] for row in rows], dtype=kind) for at, kind in enumerate((int, float, float))))
        for rows in (ones, others)
    )
    first, second, square = pairs_within(one, other, np.array([0.5, 1.0, 1.5]))
    expected = {
        (i, j)
        for i, (group, x, y) in enumerate(ones)
        for j, (other_group, u, v) in enumerate(others)
        if group == other_group and (x - u) ** 2 + (y - v) ** 2 <= (0.5 + group / 2) ** 2
    }
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == expected
    assert len(square) == len(expected)


def test_pairs_compared_in_small_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch):
    here = Points(np.zeros(50, dtype=np.int64), np.arange(50) / 10, np.zeros(50))
    at_once = pairs_within(here, here, np.array([0.35]))
    monkeypatch.setattr(spatial_index, "PAIRS_AT_ONCE", 20)
    in_blocks = pairs_within(here, here, np.array([0.35]))
    pairs = [sorted(zip(*(column.tolist() for column in each[:2]), strict=True)) for each in (at_once, in_blocks)]
    assert pairs[0] == pairs[1]
    assert len(pairs[0]) == 50 + 2 * (49 + 48 + 47)


def test_each_component_is_named_by_its_lowest_node():
    assert connected_components(6, np.array([1, 2, 5]), np.array([2, 3, 4])).tolist() == [0, 1, 1, 1, 4, 4]
