"""Packing of coordinates, and the union of several subjects' coordinates."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maps import coordinates


def test_a_coordinate_is_packed_as_the_tables_hold_it() -> None:
    assert coordinates.pack(21.6, 33) == 216 * 1024 + 330
    assert coordinates.pack(100, 100) == 1000 * 1024 + 1000


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_packing_and_unpacking_gives_the_same_percent(x_tenths: int, y_tenths: int) -> None:
    percent = (x_tenths / 10, y_tenths / 10)
    assert coordinates.unpack(coordinates.pack(*percent)) == percent


#: Sightings of several subjects: for each a list of (coordinate, uploader, day).
subjects = st.lists(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(100, 120)), min_size=1, max_size=20),
    min_size=1,
    max_size=4,
)


def merged(sightings: list[tuple[int, int, int]]) -> coordinates.Coordinates:
    by_coordinate = defaultdict(list)
    for xy, uploader, day in sightings:
        by_coordinate[xy].append((uploader, day))
    listed = sorted(by_coordinate)
    return coordinates.Coordinates.from_row(
        {
            "xy": listed,
            "sightings": [len(by_coordinate[xy]) for xy in listed],
            "uploaders": [len({uploader for uploader, _ in by_coordinate[xy]}) for xy in listed],
            "first_seen": [min(day for _, day in by_coordinate[xy]) for xy in listed],
            "last_seen": [max(day for _, day in by_coordinate[xy]) for xy in listed],
            "seen_by": np.array(sorted({xy << 32 | uploader for xy, uploader, _ in sightings}), dtype=">i8").tobytes(),
        }
    )


@given(subjects)
def test_a_union_equals_one_subject_with_all_sightings(parts: list[list[tuple[int, int, int]]]) -> None:
    united = coordinates.unite([merged(part) for part in parts])
    whole = merged([sighting for part in parts for sighting in part])
    for column in ("xy", "sightings", "uploaders", "first_seen", "last_seen", "seen_by"):
        assert np.array_equal(getattr(united, column), getattr(whole, column)), column


def test_an_empty_part_changes_nothing() -> None:
    some = merged([(7, 1, 100)])
    assert coordinates.unite([some, merged([])]).xy.tolist() == [7]
