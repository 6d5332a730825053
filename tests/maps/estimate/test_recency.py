"""The last day of each spawn point."""

from __future__ import annotations

import pytest

from maps.coordinates import pack
from maps.estimate import recency
from maps.estimate.recency import last_seen


def spawn(mob: int, x: float, y: float, floor: int = 0) -> dict[str, float]:
    return {"mob": mob, "floor": floor, "x": x, "y": y}


def habitat(mob: int, days: dict[tuple[float, float], int], floor: int = 0) -> dict[str, object]:
    return {"mob": mob, "floor": floor, "xy": [pack(*at) for at in days], "last_seen": list(days.values())}


def test_the_newest_day_of_the_nearest_coordinates_counts() -> None:
    spawns = [spawn(1, 20, 20), spawn(1, 40, 20)]
    days = {(20, 20): 5, (21, 20): 9, (39, 20): 7, (29, 20): 8, (31, 20): 6}
    assert last_seen(spawns, [habitat(1, days)]) == [9, 7]


def test_a_percent_across_is_farther_than_one_down() -> None:
    spawns = [spawn(1, 20, 20), spawn(1, 24, 25)]
    assert last_seen(spawns, [habitat(1, {(20, 25): 9, (24, 25): 1})]) == [9, 1]


def test_creatures_and_floors_are_separate_and_several_rows_of_one_are_united() -> None:
    spawns = [spawn(1, 20, 20), spawn(1, 20, 20, floor=1), spawn(2, 20, 20)]
    parts = [habitat(1, {(20, 20): 3}), habitat(1, {(20, 20): 4}), habitat(1, {(20, 20): 5}, floor=1)]
    assert last_seen(spawns, [*parts, habitat(2, {(20, 20): 6})]) == [4, 5, 6]


def test_a_point_nearest_to_no_coordinate_gets_its_creatures_newest_day() -> None:
    assert last_seen([spawn(1, 20, 20), spawn(1, 90, 90)], [habitat(1, {(20, 20): 3, (21, 20): 4})]) == [4, 4]
    assert last_seen([spawn(1, 20, 20)], []) == [0]
    assert last_seen([], []) == []


def test_with_too_many_pairs_a_spawn_point_gets_its_creatures_newest_day(monkeypatch: pytest.MonkeyPatch) -> None:
    days = {(20, 20): 5, (40, 20): 7}
    spawns = [spawn(mob, x, 20) for mob in (1, 2, 3) for x in (20, 40)]
    parts = [habitat(1, days), habitat(2, {**days, (30, 20): 6}), habitat(3, days)]
    for most, found in ((14, [5, 7, 6, 7, 5, 7]), (13, [5, 7, 6, 7, 7, 7]), (9, [5, 7, 7, 7, 5, 7]), (3, [7] * 6)):
        monkeypatch.setattr(recency, "MAX_PAIRS", most)
        assert last_seen(spawns, parts) == found
