"""Packed rows: entries added up, taken away and packed, against plain dictionaries."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.merge import sightings
from ingest.merge.sightings import Entries

#: As many as there may be at once: the keys of the last place are the largest that fit.
PLACES = sightings.MAX_HABITATS
_sighting = st.tuples(
    st.sampled_from([0, 1, PLACES - 2, PLACES - 1]),
    st.sampled_from([-1, 0, 1, 1000, 1000 * 1024 + 1000]),
    st.sampled_from([1, 2, 2**31 - 1]),
    st.integers(0, 3),
    st.integers(3, 6),
)
_sightings = st.lists(_sighting, max_size=20)


def entries(rows: list[tuple[int, int, int, int, int]]) -> Entries:
    place, xy, uploader, first, last = (
        (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
        if rows
        else (np.empty(0, dtype=np.int64) for _ in range(5))
    )
    return sightings.entries(sightings.keys(place, xy, uploader), np.ones(len(place), dtype=np.int64), first, last)


def same(one: Entries, other: Entries) -> bool:
    return all(np.array_equal(*columns) for columns in zip(one, other, strict=True))


@settings(max_examples=200, deadline=None)
@given(_sightings, _sightings, _sightings)
def test_adding_is_the_same_in_any_order_and_grouping(a, b, c) -> None:
    whole = entries([*a, *b, *c])
    assert same(sightings.add(sightings.add(entries(a), entries(b)), entries(c)), whole)
    assert same(sightings.add(entries(c), sightings.add(entries(b), entries(a))), whole)


@settings(max_examples=200, deadline=None)
@given(_sightings, _sightings)
def test_what_is_taken_away_leaves_the_counts_of_the_rest(stays, goes) -> None:
    left, unsure = sightings.subtract(entries([*stays, *goes]), entries(goes))
    expected = entries(stays)
    assert left.key.tolist() == expected.key.tolist()
    assert left.times.tolist() == expected.times.tolist()
    assert left.first[~unsure].tolist() == expected.first[~unsure].tolist()
    assert left.last[~unsure].tolist() == expected.last[~unsure].tolist()


@settings(max_examples=200, deadline=None)
@given(_sightings)
def test_a_packed_row_holds_what_was_seen_in_its_habitat(rows) -> None:
    packed = sightings.pack(entries(rows), PLACES)
    seen: dict[int, dict[int, list[tuple[int, int, int]]]] = defaultdict(lambda: defaultdict(list))
    for place, xy, uploader, first, last in rows:
        seen[place][xy].append((uploader, first, last))
    start = 0
    for place, end in enumerate(packed.xy_end.tolist()):
        coordinates = {xy: met for xy, met in seen[place].items() if xy >= 0}
        assert packed.xy[start:end].tolist() == sorted(coordinates)
        for at, xy in enumerate(sorted(coordinates), start):
            uploaders, firsts, lasts = zip(*coordinates[xy], strict=True)
            assert packed.sightings[at] == len(uploaders)
            assert packed.uploaders[at] == len(set(uploaders))
            assert (packed.first_seen[at], packed.last_seen[at]) == (min(firsts), max(lasts))
        assert packed.unplaced[place] == len(seen[place].get(-1, []))
        assert packed.position_count[place] == len(coordinates)
        assert packed.sighting_count[place] == sum(map(len, coordinates.values()))
        every = [last for met in seen[place].values() for _, _, last in met]
        assert packed.last_seen_day[place] == max(every, default=0)
        start = end
