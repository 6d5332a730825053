"""Spawn points follow the merged coordinates: all of them, soon, and no mark of a change is lost."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import pytest
from django.db import connections, transaction

from maps.models import FIRST_NAMED_ID, Habitat, NamedCreature, Spawn, StaleSpawns
from maps.publish import changes as module
from maps.publish.changes import has_changes, publish
from tests.maps.estimate.crowds import around, walking
from tests.maps.factories import DE, creature, habitat, named_creature, spawn, zone
from tests.threads import elsewhere

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


@pytest.fixture(autouse=True)
def _no_round_has_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process remembers how far it has come, which would be in another test's zones."""
    monkeypatch.setattr(module, "_rounds", {})


def mark(mob: int, place: int) -> None:
    StaleSpawns.objects.using(DE).get_or_create(mob=mob, zone=place)


def spawns(mob: int = 7) -> list[tuple[float, float, int, int, bool]]:
    found = Spawn.objects.using(DE).filter(mob=mob).order_by("point")
    return sorted((s.point.x, s.point.y, s.sightings, s.uploaders, s.confirmed) for s in found)


def test_coordinates_close_to_each_other_are_one_spawn_point_at_the_centre_of_those_who_saw_it():
    place = zone("Weidenmark")
    habitat(creature(7), place, {(10, 10): [1, 1, 2], (10.3, 10): [3], (50, 50): [1, 1]})
    mark(7, place)
    assert has_changes(DE)
    assert publish(DE) == 1
    assert spawns() == [(10.1, 10, 4, 3, True), (50, 50, 2, 1, False)]
    assert not has_changes(DE)


def test_floors_and_zones_are_apart():
    first, second = zone("A"), zone("B")
    creature(7)
    habitat(7, first, {(10, 10): [1]})
    habitat(7, first, {(10, 10): [2]}, floor=1)
    habitat(7, second, {(10, 10): [3]})
    mark(7, first)
    publish(DE)
    assert [(s.zone, s.floor) for s in Spawn.objects.using(DE).order_by("floor")] == [(first, 0), (first, 1)]


def test_what_is_gone_from_the_counts_is_gone_from_the_map():
    place = zone("A")
    spawn(7, place)
    mark(7, place)
    publish(DE)
    assert spawns() == []


def test_a_named_creature_counts_where_it_is_shown_and_not_twice():
    place = zone("A")
    habitat(creature(7), place, {(10, 10): [1, 2]})
    raw = named_creature("Wolf", shown_as=7)
    habitat(raw, place, {(10, 10): [2, 3], (90, 90): [3]})
    mark(7, place)
    mark(raw, place)
    publish(DE)
    assert spawns(7) == [(10, 10, 4, 3, True), (90, 90, 1, 1, False)]
    assert spawns(raw) == []
    NamedCreature.objects.using(DE).update(shown_as=None)
    mark(7, place)
    mark(raw, place)
    publish(DE)
    assert spawns(7) == [(10, 10, 2, 2, True)]
    assert spawns(raw) == [(10, 10, 2, 2, True), (90, 90, 1, 1, False)]


def test_places_without_positions_have_no_spawn_points():
    place = zone("A")
    habitat(creature(7), place, {}, unplaced=3)
    mark(7, place)
    assert publish(DE) == 1
    assert spawns() == []


def test_a_backlog_is_published_in_chunks_until_the_time_is_up(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 2)
    place = zone("A")
    for mob in range(1, 6):
        mark(mob, place)
    assert publish(DE, for_s=0) == 2
    assert StaleSpawns.objects.using(DE).count() == 3
    assert publish(DE) == 3


@pytest.mark.parametrize(("few", "coordinates", "chunks"), [(1, 3, [3, 1, 2]), (2, 3, [3, 2, 1]), (1, 0, [1] * 6)])
def test_pairs_of_few_coordinates_are_published_many_at_once(monkeypatch, few, coordinates, chunks):
    """Six creatures with a coordinate each, but for the fourth, which has four, one of them by its name."""
    monkeypatch.setattr(module, "CHUNK", few)
    monkeypatch.setattr(module, "MOST_COORDINATES", coordinates)
    place = zone("A")
    for mob in range(1, 7):
        habitat(creature(mob), place, {(10 * n, 10): [1] for n in range(1, 4 if mob == 4 else 2)})
        mark(mob, place)
    habitat(named_creature("Wolf", shown_as=4), place, {(90, 90): [1]})
    assert [publish(DE, for_s=0) for _ in chunks] == chunks
    assert not StaleSpawns.objects.using(DE).exists()


def test_what_changes_all_the_time_does_not_keep_the_rest_from_being_published(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 2)
    place = zone("A")
    for mob in range(1, 6):
        habitat(creature(mob), place, {(10, 10): [1]})
        mark(mob, place)
    for _turn in range(3):
        publish(DE, for_s=0)
        mark(1, place)
        mark(2, place)
    assert set(Spawn.objects.using(DE).values_list("mob", flat=True)) == {1, 2, 3, 4, 5}
    assert publish(DE) == 2
    assert not StaleSpawns.objects.using(DE).exists()


def test_new_names_do_not_keep_those_before_them_from_being_published(monkeypatch):
    """Names that are known without an id get ids of their own, each above all before."""
    monkeypatch.setattr(module, "MOST_PAIRS", 2)
    place = zone("A")
    for mob in range(1, 5):
        mark(mob, place)
    for turn in range(4):
        publish(DE, for_s=0)
        for number in range(2):
            mark(FIRST_NAMED_ID + 2 * turn + number, place)
        if turn == 0:
            mark(1, place)
    assert not StaleSpawns.objects.using(DE).filter(mob=1).exists()


def test_what_a_fold_holds_is_no_hindrance_to_what_comes_after_it(monkeypatch):
    monkeypatch.setattr(module, "MOST_PAIRS", 2)
    place = zone("A")
    for mob in range(1, 6):
        mark(mob, place)
    done: list[int] = []
    with transaction.atomic(using=DE):
        list(StaleSpawns.objects.using(DE).filter(mob__lte=3).select_for_update())
        elsewhere(lambda: done.append(publish(DE)))
    assert done == [2]
    assert set(StaleSpawns.objects.using(DE).values_list("mob", flat=True)) == {1, 2, 3}


def test_while_one_process_publishes_another_does_nothing():
    place = zone("A")
    mark(7, place)
    done: list[int] = []

    def publish_in_thread() -> None:
        try:
            done.append(publish(DE))
        finally:
            connections.close_all()

    with transaction.atomic(using=DE), connections[DE].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [module.PUBLISH_LOCK])
        other = Thread(target=publish_in_thread)
        other.start()
        other.join(120)
    assert done == [0]
    assert has_changes(DE)


def test_a_mark_that_a_running_fold_needs_is_left_until_its_counts_are_there():
    """The pair was marked before; a fold changes it again, and publishing comes before the fold's commit."""
    place = zone("A")
    habitat(creature(7), place, {(10, 10): [1]})
    mark(7, place)
    marking = "INSERT INTO stale_spawns VALUES (7, %s) ON CONFLICT (mob, zone) DO UPDATE SET mob = excluded.mob"
    done: list[int] = []

    def publish_in_thread() -> None:
        try:
            done.append(publish(DE))
        finally:
            connections.close_all()

    with transaction.atomic(using=DE), connections[DE].cursor() as cursor:
        Habitat.objects.using(DE).all().delete()
        habitat(7, place, {(20, 20): [1]})
        cursor.execute(marking, [place])
        publisher = Thread(target=publish_in_thread)
        publisher.start()
        publisher.join(120)
        assert not publisher.is_alive()
    assert done == [0]
    assert publish(DE) == 1
    assert spawns() == [(20, 20, 1, 1, False)]


def test_a_patrol_is_published_as_an_area_around_its_way():
    place = zone("A")
    met = [
        *around([(20.0, 20.0), (22.0, 21.0), (20.5, 23.0)], 0.2, each=80),
        *walking([(98.0, 60.0), (99.9, 64.0), (97.0, 68.0)], 0.1, count=80),
    ]
    seen: dict[tuple[float, float], list[int]] = {}
    for x, y, uploader in met:
        seen.setdefault((x, y), []).append(uploader)
    habitat(creature(7), place, seen)
    mark(7, place)
    publish(DE)
    found = Spawn.objects.using(DE).filter(mob=7)
    assert found.filter(area=None).count() == 3
    patrol = found.get(area__isnull=False)
    assert patrol.confirmed and patrol.area.valid and patrol.area.intersects(patrol.point)
    assert 3 < patrol.area.area < 15
    left, top, right, bottom = patrol.area.extent
    assert right <= 100 and left > 95 and top > 58 and bottom < 70


def test_an_estimate_takes_what_was_published_before_away():
    place = zone("A")
    habitat(creature(7), place, {(10, 10): [1]})
    for _ in range(2):
        mark(7, place)
        publish(DE)
        assert spawns() == [(10, 10, 1, 1, False)]


def test_documents_get_a_share_of_the_time_while_uploads_keep_workers_busy(monkeypatch):
    """The time stands still but for the making of documents, a tenth of a second each."""
    now = [0.0]

    def slowly(alias: str) -> Iterator[int]:
        while True:
            now[0] += 0.1
            yield 1

    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    monkeypatch.setattr(module.documents, "make_stale", slowly)
    publish(DE, for_s=1.0, busy=True)
    assert 0.2 < now[0] < 0.4
    now[0] = 0.0
    publish(DE, for_s=1.0)
    assert 0.9 < now[0] < 1.2
