"""Spawn points are estimated where coordinates are dense, for any standard deviation and share of noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maps import coordinates
from maps.coordinates import Coordinates
from maps.estimate import spawns
from maps.estimate.spawns import Estimate
from tests.maps.estimate.crowds import Sightings, around, everywhere, merged, walking

CAMP = [(20.0, 20.0), (21.4, 20.3), (22.1, 21.8), (20.6, 22.5), (23.6, 20.4), (40.0, 60.2), (41.2, 61.9)]


def only(seen: Sightings) -> Estimate:
    (found,) = spawns.estimate([merged(seen)])
    return found


def distances(found: Estimate, truth: list[tuple[float, float]]) -> np.ndarray:
    """Return how far each true point is from the nearest one found."""
    here = np.array(truth)
    return np.hypot(found.x - here[:, :1], found.y - here[:, 1:]).min(axis=1)


@pytest.mark.parametrize("std_pct", [0.1, 0.2, 0.3])
def test_every_spawn_point_of_a_camp_is_found_for_any_standard_deviation(std_pct: float):
    found = only(around(CAMP, std_pct, each=30))
    assert len(found.x) == len(CAMP)
    assert distances(found, CAMP).max() < 2.5 * std_pct / np.sqrt(30) + 0.05
    assert found.radius == pytest.approx(std_pct * np.sqrt(2), rel=0.35)


def test_two_close_points_are_separated_by_enough_sightings():
    pair = [(50.0, 50.0), (50.8, 50.0)]
    assert distances(only(around(pair, 0.2, each=40)), pair).max() < 0.15


def test_one_point_seen_by_many_stays_one():
    found = only(around([(50.0, 50.0)], 0.3, each=2000))
    assert len(found.x) == 1
    assert found.sightings.tolist() == [2000]


def test_single_sightings_are_spawn_points_that_are_not_confirmed():
    found = only([(1, 1, 1), (90, 90, 2)])
    assert sorted(found.x.tolist()) == [1, 90]
    assert found.confirmed.tolist() == [False, False]


def test_a_lone_coordinate_far_from_well_known_points_is_noise():
    found = only([*around(CAMP, 0.2, each=20), (80, 5, 77)])
    assert distances(found, CAMP).max() < 0.3
    assert found.x.max() < 45


def test_random_positions_add_hardly_any_points():
    honest = around(CAMP, 0.2, each=40)
    found = only([*honest, *everywhere(len(honest) // 10)])
    assert distances(found, CAMP).max() < 0.3
    assert len(found.x) <= len(CAMP) + 1


def test_a_single_player_confirms_nothing_and_has_little_weight():
    honest = around(CAMP, 0.2, each=40)
    found = only([*honest, *[(70 + x / 10, 70.0, 9999) for x in range(3)]])
    assert len(found.x) == len(CAMP)
    alone = only([(50, 50, 1), (50.1, 50, 1), (50, 50.1, 1)])
    assert alone.uploaders.tolist() == [1]
    assert not alone.confirmed.any()


def test_a_point_counts_the_sightings_and_uploaders_of_its_coordinates():
    found = only([(10, 10, 1), (10, 10, 1), (10.1, 10, 1), (10.1, 10, 2), (60, 60, 3)])
    assert sorted(zip(found.x.round().tolist(), found.sightings.tolist(), found.uploaders.tolist(), strict=True)) == [
        (10, 4, 2),
        (60, 1, 1),
    ]


def test_a_walking_creature_has_a_patrol_instead_of_a_row_of_points():
    route = [(60.0, 20.0), (64.0, 22.0), (66.0, 26.0)]
    standing = [(x, y) for x, y in CAMP if x < 30]
    found = only([*around(standing, 0.2, each=80), *walking(route, 0.2, count=80)])
    assert len(found.x) == len(standing)
    (patrol,) = found.patrols
    assert patrol.uploaders > 20 and 60 <= patrol.sightings <= 80
    ends = patrol.edges.reshape(-1, 2)
    assert ends.min(axis=0) == pytest.approx((60, 20), abs=0.9)
    assert ends.max(axis=0) == pytest.approx((66, 26), abs=0.9)
    assert len(patrol.edges) == len(np.unique(ends.round(6), axis=0)) - 1, "a tree has one edge less than nodes"


def test_estimating_many_creatures_at_once_is_the_same_as_one_by_one():
    several = [merged(around(CAMP, 0.2, each=9, seed=seed)) for seed in range(5)]
    together = list(spawns.estimate(several))
    for one, found in zip(several, together, strict=True):
        (alone,) = spawns.estimate([one])
        assert alone.x == pytest.approx(found.x, abs=1e-9)
        assert alone.uploaders.tolist() == found.uploaders.tolist()


def test_batches_are_bounded_and_in_order(monkeypatch: pytest.MonkeyPatch):
    several = [merged([(x, x, 1)]) for x in range(1, 8)]
    expected = [found.x.tolist() for found in spawns.estimate(several)]
    monkeypatch.setattr(spawns, "BATCH_COORDINATES", 2)
    assert [found.x.tolist() for found in spawns.estimate(several)] == expected == [[x] for x in range(1, 8)]


def test_of_too_many_coordinates_the_most_confirmed_are_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(spawns, "MAX_COORDINATES", 50)
    flood = [(x / 10, 90.0, 7) for x in range(1000)]
    found = only([*flood, *around([(50.0, 50.0)], 0.1, each=60)])
    assert distances(found, [(50.0, 50.0)])[0] < 0.1


def test_coordinates_without_their_uploaders_are_refused():
    known = merged([(1, 1, 1)])
    with pytest.raises(ValueError, match="seen_by"):
        list(
            spawns.estimate(
                [Coordinates(known.xy, known.sightings, known.uploaders, known.first_seen, known.last_seen)]
            )
        )


_sighting = st.tuples(st.integers(0, 1000), st.integers(0, 1000), st.integers(1, 9))


@given(st.lists(_sighting, min_size=1, max_size=60))
def test_points_stay_on_the_map_and_no_sighting_counts_twice(seen: list[tuple[int, int, int]]):
    found = only([(x / 10, y / 10, uploader) for x, y, uploader in seen])
    total = int(found.sightings.sum()) + sum(patrol.sightings for patrol in found.patrols)
    assert total <= len(seen)
    assert ((found.x >= 0) & (found.x <= 100) & (found.y >= 0) & (found.y <= 100)).all()
    assert (found.uploaders <= found.sightings).all() and (found.uploaders >= 1).all()
    assert np.isfinite(found.radius).all() and (found.radius >= 0).all()


def test_a_coordinate_is_unpacked_to_percent():
    found = only([(21.6, 33.0, 1)])
    assert (found.x[0], found.y[0]) == coordinates.unpack(coordinates.pack(21.6, 33.0))
