"""Entries taken away from others: what is left, and which days can't be told any more."""

from __future__ import annotations

import numpy as np

from ingest.merge import sightings
from ingest.merge.sightings import Entries


def entries(*rows: tuple[int, int, int, int]) -> Entries:
    """Return entries from key, times, first and last day."""
    return sightings.entries(*(np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)))


def shown(some: Entries) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in some), strict=True))


def test_what_was_seen_as_often_as_is_taken_away_goes():
    left, unsure = sightings.subtract(entries((1, 1, 5, 6), (2, 2, 5, 6)), entries((2, 2, 5, 6)))
    assert shown(left) == [(1, 1, 5, 6)]
    assert unsure.tolist() == [False]


def test_what_was_never_there_takes_nothing_from_its_neighbours():
    known = entries((1, 1, 5, 6), (4, 2, 5, 6))
    left, _ = sightings.subtract(known, entries((2, 1, 5, 6), (4, 1, 5, 6), (9, 1, 5, 6)))
    assert shown(left) == [(1, 1, 5, 6), (4, 1, 5, 6)]


def test_days_are_unsure_only_where_the_first_or_the_last_is_taken_away():
    known = entries((1, 3, 5, 9), (2, 3, 5, 9), (3, 3, 5, 9), (4, 3, 5, 9))
    left, unsure = sightings.subtract(known, entries((1, 1, 5, 6), (2, 1, 6, 9), (3, 1, 6, 7)))
    assert left.times.tolist() == [2, 2, 2, 3]
    assert unsure.tolist() == [True, True, False, False]


def test_days_are_taken_over_from_entries_seen_as_often():
    known = entries((1, 2, 5, 9), (2, 2, 5, 9), (3, 1, 5, 9))
    other = entries((1, 2, 6, 8), (2, 1, 6, 8), (4, 1, 6, 8))
    assert shown(sightings.with_days_of(known, other)) == [(1, 2, 6, 8), (2, 2, 5, 9), (3, 1, 5, 9)]
