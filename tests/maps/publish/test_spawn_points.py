"""Spawn points are estimated again when coordinates change: all of them, soon, and no change is lost."""

from __future__ import annotations

from threading import Thread

import pytest
from django.db import connections, transaction

from core.locks import Lock, wait_in_transaction
from maps.models import FIRST_NAMED_ID, Habitat, NamedCreature, Spawn, StaleSpawns
from maps.publish import spawn_points as module
from maps.publish.run import has_changes, publish
from tests.maps.estimate.crowds import around, walking
from tests.maps.factories import DE, creature, habitat, named_creature, spawn, zone
from tests.threads import elsewhere

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


@pytest.fixture(autouse=True)
def _no_round_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process keeps its position in the round, which would be that of another test."""
    monkeypatch.setattr(module, "_rounds", {})


def invalidate(mob: int, zone_id: int) -> None:
    StaleSpawns.objects.using(DE).get_or_create(mob=mob, zone=zone_id)


def spawns(mob: int = 7) -> list[tuple[float, float, int, int, bool]]:
    found = Spawn.objects.using(DE).filter(mob=mob).order_by("point")
    return sorted((s.point.x, s.point.y, s.sightings, s.uploaders, s.confirmed) for s in found)


def test_coordinates_close_to_each_other_are_one_spawn_point_at_their_weighted_center():
    here = zone("Weidenmark")
    habitat(creature(7), here, {(10, 10): [1, 1, 2], (10.3, 10): [3], (50, 50): [1, 1]})
    invalidate(7, here)
    assert has_changes(DE)
    assert publish(DE) == 1
    assert spawns() == [(10.1, 10, 4, 3, True), (50, 50, 2, 1, False)]
    assert not has_changes(DE)


def test_floors_and_zones_are_separate():
    first, second = zone("A"), zone("B")
    creature(7)
    habitat(7, first, {(10, 10): [1]})
    habitat(7, first, {(10, 10): [2]}, floor=1)
    habitat(7, second, {(10, 10): [3]})
    invalidate(7, first)
    publish(DE)
    assert [(s.zone, s.floor) for s in Spawn.objects.using(DE).order_by("floor")] == [(first, 0), (first, 1)]


def test_without_coordinates_published_spawn_points_are_removed():
    here = zone("A")
    spawn(7, here)
    invalidate(7, here)
    publish(DE)
    assert spawns() == []


def test_a_named_creature_counts_once_under_the_id_it_is_shown_as():
    here = zone("A")
    habitat(creature(7), here, {(10, 10): [1, 2]})
    raw = named_creature("Wolf", shown_as=7)
    habitat(raw, here, {(10, 10): [2, 3], (90, 90): [3]})
    invalidate(7, here)
    invalidate(raw, here)
    publish(DE)
    assert spawns(7) == [(10, 10, 4, 3, True), (90, 90, 1, 1, False)]
    assert spawns(raw) == []
    NamedCreature.objects.using(DE).update(shown_as=None)
    invalidate(7, here)
    invalidate(raw, here)
    publish(DE)
    assert spawns(7) == [(10, 10, 2, 2, True)]
    assert spawns(raw) == [(10, 10, 2, 2, True), (90, 90, 1, 1, False)]


def test_habitats_without_positions_have_no_spawn_points():
    here = zone("A")
    habitat(creature(7), here, {}, unplaced=3)
    invalidate(7, here)
    assert publish(DE) == 1
    assert spawns() == []


def test_a_backlog_is_published_in_chunks_until_the_time_is_up(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIRS", 2)
    here = zone("A")
    for mob in range(1, 6):
        invalidate(mob, here)
    assert publish(DE, for_s=0) == 2
    assert StaleSpawns.objects.using(DE).count() == 3
    assert publish(DE) == 3


@pytest.mark.parametrize(("few", "coordinates", "chunks"), [(1, 3, [3, 1, 2]), (2, 3, [3, 2, 1]), (1, 0, [1] * 6)])
def test_many_pairs_with_few_coordinates_are_published_at_once(monkeypatch, few, coordinates, chunks):
    """Six creatures with one coordinate each, except the fourth, which has four, one of them by its name."""
    monkeypatch.setattr(module, "CHUNK", few)
    monkeypatch.setattr(module, "MAX_COORDINATES", coordinates)
    here = zone("A")
    for mob in range(1, 7):
        habitat(creature(mob), here, {(10 * n, 10): [1] for n in range(1, 4 if mob == 4 else 2)})
        invalidate(mob, here)
    habitat(named_creature("Wolf", shown_as=4), here, {(90, 90): [1]})
    assert [publish(DE, for_s=0) for _ in chunks] == chunks
    assert not StaleSpawns.objects.using(DE).exists()


def test_pairs_that_change_all_the_time_do_not_delay_the_others(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIRS", 2)
    here = zone("A")
    for mob in range(1, 6):
        habitat(creature(mob), here, {(10, 10): [1]})
        invalidate(mob, here)
    for _turn in range(3):
        publish(DE, for_s=0)
        invalidate(1, here)
        invalidate(2, here)
    assert set(Spawn.objects.using(DE).values_list("mob", flat=True)) == {1, 2, 3, 4, 5}
    assert publish(DE) == 2
    assert not StaleSpawns.objects.using(DE).exists()


def test_new_names_do_not_delay_earlier_ones(monkeypatch):
    """Names without a game id get ids of their own, each higher than all before."""
    monkeypatch.setattr(module, "MAX_PAIRS", 2)
    here = zone("A")
    for mob in range(1, 5):
        invalidate(mob, here)
    for turn in range(4):
        publish(DE, for_s=0)
        for number in range(2):
            invalidate(FIRST_NAMED_ID + 2 * turn + number, here)
        if turn == 0:
            invalidate(1, here)
    assert not StaleSpawns.objects.using(DE).filter(mob=1).exists()


def test_pairs_that_a_fold_has_locked_do_not_delay_those_after_them(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIRS", 2)
    here = zone("A")
    for mob in range(1, 6):
        invalidate(mob, here)
    done: list[int] = []
    with transaction.atomic(using=DE):
        list(StaleSpawns.objects.using(DE).filter(mob__lte=3).select_for_update())
        elsewhere(lambda: done.append(publish(DE)))
    assert done == [2]
    assert set(StaleSpawns.objects.using(DE).values_list("mob", flat=True)) == {1, 2, 3}


def test_while_one_process_publishes_another_does_nothing():
    here = zone("A")
    invalidate(7, here)
    done: list[int] = []

    def publish_in_thread() -> None:
        try:
            done.append(publish(DE))
        finally:
            connections.close_all()

    with transaction.atomic(using=DE), connections[DE].cursor() as cursor:
        wait_in_transaction(cursor, Lock.PUBLISH)
        other = Thread(target=publish_in_thread)
        other.start()
        other.join(120)
    assert done == [0]
    assert has_changes(DE)


def test_a_pair_that_a_running_fold_changes_is_left_until_the_fold_commits():
    """The pair is stale; a fold changes it again, and publishing runs before the fold commits."""
    here = zone("A")
    habitat(creature(7), here, {(10, 10): [1]})
    invalidate(7, here)
    note_change = "INSERT INTO stale_spawns VALUES (7, %s) ON CONFLICT (mob, zone) DO UPDATE SET mob = excluded.mob"
    done: list[int] = []

    def publish_in_thread() -> None:
        try:
            done.append(publish(DE))
        finally:
            connections.close_all()

    with transaction.atomic(using=DE), connections[DE].cursor() as cursor:
        Habitat.objects.using(DE).all().delete()
        habitat(7, here, {(20, 20): [1]})
        cursor.execute(note_change, [here])
        publisher = Thread(target=publish_in_thread)
        publisher.start()
        publisher.join(120)
        assert not publisher.is_alive()
    assert done == [0]
    assert publish(DE) == 1
    assert spawns() == [(20, 20, 1, 1, False)]


def test_a_patrol_is_published_as_an_area_around_its_route():
    here = zone("A")
    sightings = [
        *around([(20.0, 20.0), (22.0, 21.0), (20.5, 23.0)], 0.2, each=80),
        *walking([(98.0, 60.0), (99.9, 64.0), (97.0, 68.0)], 0.1, count=80),
    ]
    seen: dict[tuple[float, float], list[int]] = {}
    for x, y, uploader in sightings:
        seen.setdefault((x, y), []).append(uploader)
    habitat(creature(7), here, seen)
    invalidate(7, here)
    publish(DE)
    found = Spawn.objects.using(DE).filter(mob=7)
    assert found.filter(area=None).count() == 3
    patrol = found.get(area__isnull=False)
    assert patrol.confirmed and patrol.area.valid and patrol.area.intersects(patrol.point)
    assert 3 < patrol.area.area < 15
    left, top, right, bottom = patrol.area.extent
    assert right <= 100 and left > 95 and top > 58 and bottom < 70


def test_an_estimate_replaces_what_was_published_before():
    here = zone("A")
    habitat(creature(7), here, {(10, 10): [1]})
    for _ in range(2):
        invalidate(7, here)
        publish(DE)
        assert spawns() == [(10, 10, 1, 1, False)]
