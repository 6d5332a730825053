"""Spawn points are found where players' coordinates gather, whatever the creature's spread and the company."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maps import coordinates
from maps.coordinates import Places
from maps.estimate import spatial_index, spawns
from maps.estimate.spatial_index import Points, connected, near
from maps.estimate.spawns import Estimate
from tests.maps.estimate.crowds import Met, around, everywhere, places, walking

CAMP = [(20.0, 20.0), (21.4, 20.3), (22.1, 21.8), (20.6, 22.5), (23.6, 20.4), (40.0, 60.2), (41.2, 61.9)]


def only(met: Met) -> Estimate:
    (found,) = spawns.estimate([places(met)])
    return found


def distances(found: Estimate, truth: list[tuple[float, float]]) -> np.ndarray:
    """Return how far each true point is from the nearest one found."""
    here = np.array(truth)
    return np.hypot(found.x - here[:, :1], found.y - here[:, 1:]).min(axis=1)


@pytest.mark.parametrize("spread", [0.1, 0.2, 0.3])
def test_every_spawn_point_of_a_camp_is_found_whatever_the_spread(spread: float):
    found = only(around(CAMP, spread, each=30))
    assert len(found.x) == len(CAMP)
    assert distances(found, CAMP).max() < 2.5 * spread / np.sqrt(30) + 0.05
    assert found.radius == pytest.approx(spread * np.sqrt(2), rel=0.35)


def test_two_close_points_are_told_apart_by_enough_sightings():
    pair = [(50.0, 50.0), (50.8, 50.0)]
    assert distances(only(around(pair, 0.2, each=40)), pair).max() < 0.15


def test_one_point_seen_by_many_stays_one():
    found = only(around([(50.0, 50.0)], 0.3, each=2000))
    assert len(found.x) == 1
    assert found.sightings.tolist() == [2000]


def test_what_little_is_known_is_shown():
    found = only([(1, 1, 1), (90, 90, 2)])
    assert sorted(found.x.tolist()) == [1, 90]
    assert found.confirmed.tolist() == [False, False]


def test_a_lone_coordinate_far_from_well_known_points_is_taken_for_wrong():
    found = only([*around(CAMP, 0.2, each=20), (80, 5, 77)])
    assert distances(found, CAMP).max() < 0.3
    assert found.x.max() < 45


def test_random_positions_add_next_to_no_points():
    honest = around(CAMP, 0.2, each=40)
    found = only([*honest, *everywhere(len(honest) // 10)])
    assert distances(found, CAMP).max() < 0.3
    assert len(found.x) <= len(CAMP) + 1


def test_one_player_alone_confirms_nothing_and_weighs_little():
    honest = around(CAMP, 0.2, each=40)
    found = only([*honest, *[(70 + x / 10, 70.0, 9999) for x in range(3)]])
    assert len(found.x) == len(CAMP)
    alone = only([(50, 50, 1), (50.1, 50, 1), (50, 50.1, 1)])
    assert alone.uploaders.tolist() == [1]
    assert not alone.confirmed.any()


def test_sightings_and_uploaders_are_those_of_the_coordinates_behind_it():
    found = only([(10, 10, 1), (10, 10, 1), (10.1, 10, 1), (10.1, 10, 2), (60, 60, 3)])
    assert sorted(zip(found.x.round().tolist(), found.sightings.tolist(), found.uploaders.tolist(), strict=True)) == [
        (10, 4, 2),
        (60, 1, 1),
    ]


def test_a_walking_creature_has_an_area_in_place_of_a_row_of_points():
    way = [(60.0, 20.0), (64.0, 22.0), (66.0, 26.0)]
    standing = [(x, y) for x, y in CAMP if x < 30]
    found = only([*around(standing, 0.2, each=80), *walking(way, 0.2, count=80)])
    assert len(found.x) == len(standing)
    (patrol,) = found.patrols
    assert patrol.uploaders > 20 and 60 <= patrol.sightings <= 80
    ends = patrol.path.reshape(-1, 2)
    assert ends.min(axis=0) == pytest.approx((60, 20), abs=0.9)
    assert ends.max(axis=0) == pytest.approx((66, 26), abs=0.9)
    assert len(patrol.path) == len(np.unique(ends.round(6), axis=0)) - 1, "a tree: one leg less than places"


def test_estimating_many_creatures_at_once_is_the_same_as_one_by_one():
    several = [places(around(CAMP, 0.2, each=9, seed=seed)) for seed in range(5)]
    together = list(spawns.estimate(several))
    for one, found in zip(several, together, strict=True):
        (alone,) = spawns.estimate([one])
        assert alone.x == pytest.approx(found.x, abs=1e-9)
        assert alone.uploaders.tolist() == found.uploaders.tolist()


def test_batches_are_bounded_and_in_order(monkeypatch: pytest.MonkeyPatch):
    several = [places([(x, x, 1)]) for x in range(1, 8)]
    expected = [found.x.tolist() for found in spawns.estimate(several)]
    monkeypatch.setattr(spawns, "BATCH_COORDINATES", 2)
    assert [found.x.tolist() for found in spawns.estimate(several)] == expected == [[x] for x in range(1, 8)]


def test_a_flood_of_coordinates_is_cut_to_the_most_confirmed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(spawns, "MAX_COORDINATES", 50)
    flood = [(x / 10, 90.0, 7) for x in range(1000)]
    found = only([*flood, *around([(50.0, 50.0)], 0.1, each=60)])
    assert distances(found, [(50.0, 50.0)])[0] < 0.1


def test_places_without_their_uploaders_are_refused():
    known = places([(1, 1, 1)])
    with pytest.raises(ValueError, match="seen_by"):
        list(spawns.estimate([Places(known.xy, known.sightings, known.uploaders, known.first_seen, known.last_seen)]))


_met = st.tuples(st.integers(0, 1000), st.integers(0, 1000), st.integers(1, 9))


@given(st.lists(_met, min_size=1, max_size=60))
def test_points_stay_on_the_map_and_no_sighting_counts_twice(met: list[tuple[int, int, int]]):
    found = only([(x / 10, y / 10, uploader) for x, y, uploader in met])
    total = int(found.sightings.sum()) + sum(patrol.sightings for patrol in found.patrols)
    assert total <= len(met)
    assert ((found.x >= 0) & (found.x <= 100) & (found.y >= 0) & (found.y <= 100)).all()
    assert (found.uploaders <= found.sightings).all() and (found.uploaders >= 1).all()
    assert np.isfinite(found.radius).all() and (found.radius >= 0).all()


_points = st.lists(st.tuples(st.integers(0, 2), st.floats(0, 100), st.floats(0, 100)), max_size=30)


@given(_points, _points)
def test_near_finds_what_comparing_all_with_all_finds(ones: list, others: list):
    one, other = (
        Points(*(np.array([row[at] for row in rows], dtype=kind) for at, kind in enumerate((int, float, float))))
        for rows in (ones, others)
    )
    first, second, square = near(one, other, np.array([0.5, 1.0, 1.5]))
    expected = {
        (i, j)
        for i, (group, x, y) in enumerate(ones)
        for j, (map_, u, v) in enumerate(others)
        if group == map_ and (x - u) ** 2 + (y - v) ** 2 <= (0.5 + group / 2) ** 2
    }
    assert set(zip(first.tolist(), second.tolist(), strict=True)) == expected
    assert len(square) == len(expected)


def test_pairs_compared_in_small_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch):
    here = Points(np.zeros(50, dtype=np.int64), np.arange(50) / 10, np.zeros(50))
    at_once = near(here, here, np.array([0.35]))
    monkeypatch.setattr(spatial_index, "PAIRS_AT_ONCE", 20)
    in_blocks = near(here, here, np.array([0.35]))
    pairs = [sorted(zip(*(column.tolist() for column in each[:2]), strict=True)) for each in (at_once, in_blocks)]
    assert pairs[0] == pairs[1]
    assert len(pairs[0]) == 50 + 2 * (49 + 48 + 47)


def test_connected_names_each_island_by_its_lowest():
    assert connected(6, np.array([1, 2, 5]), np.array([2, 3, 4])).tolist() == [0, 1, 1, 1, 4, 4]


def test_a_coordinate_is_read_as_the_percent_it_stands_for():
    found = only([(21.6, 33.0, 1)])
    assert (found.x[0], found.y[0]) == coordinates.unpack(coordinates.pack(21.6, 33.0))
