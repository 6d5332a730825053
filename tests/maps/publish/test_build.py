"""Stale files are built: the oldest and the latest first, each again if its data changes meanwhile."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest
from django.db import connections, transaction
from django.utils import timezone

from maps import queries
from maps.models import Habitat, StaleFile
from maps.publish import build, files, invalidation, kinds
from maps.publish.kinds import ITEM, MOB, ZONE_IMAGES, ZONE_MAP
from maps.publish.run import has_changes, publish
from tests.maps.api.contract import ask
from tests.maps.factories import DE, creature, habitat, item, zone
from tests.maps.publish.published import change, content, file, images, stale
from tests.threads import elsewhere

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


def test_a_zone_about_which_nothing_is_known_any_more_has_no_file(marsh):
    publish(DE)
    Habitat.objects.using(DE).all().delete()
    change(7, marsh)
    publish(DE)
    assert not file(marsh).exists()
    assert ask(f"deDE/zones/{marsh}/map").status_code == 404


def test_a_file_stays_stale_until_it_is_written(marsh, monkeypatch):
    with monkeypatch.context() as broken, pytest.raises(OSError, match="full"):
        broken.setattr(os, "fsync", _full)
        publish(DE)
    assert stale() == {marsh}
    assert has_changes(DE)
    assert list(files.folder("deDE", ZONE_MAP).iterdir()) == []
    publish(DE)
    assert not has_changes(DE)
    assert content(marsh) == queries.zone_map(DE, marsh)


def _full(number: int) -> None:
    raise OSError(28, "The disk is full")


def test_a_file_whose_data_changes_while_it_is_built_is_built_again(marsh, monkeypatch):
    """Spawn points of the zone change after the queries of the build, before its row in `stale_file` is removed."""
    publish(DE)
    write = files.write

    def write_and_change(bodies: dict[Path, object], **how: bool) -> None:
        write(bodies, **how)
        monkeypatch.setattr(files, "write", write)
        elsewhere(lambda: habitat(creature(8, "Bär"), marsh, {(1, 1): [1]}))
        change_later.start()

    def invalidate_again() -> None:
        try:
            invalidation.invalidate(DE, [], [marsh])  # no creature, whose habitats might be built in the same round
        finally:
            connections.close_all()

    change_later = Thread(target=invalidate_again)
    monkeypatch.setattr(files, "write", write_and_change)
    invalidation.invalidate(DE, [7], [marsh])
    assert next(build.build_stale(DE)) == 2, "the map, and the creature's habitats"
    change_later.join(120)
    assert not change_later.is_alive()
    assert stale() == {marsh}
    publish(DE)
    assert [mob["id"] for mob in content(marsh)["mobs"]] == [8, 7]


def test_a_file_whose_change_is_not_committed_yet_is_left(marsh):
    publish(DE)
    invalidation.invalidate(DE, [7], [marsh])
    built: list[int] = []
    with transaction.atomic(using=DE):
        invalidation.invalidate(DE, [7], [marsh])
        elsewhere(lambda: built.extend(build.build_stale(DE)))
        assert built == []
    assert sum(build.build_stale(DE)) == 3, "a map, a zone's sources, a creature's habitats"


def test_the_oldest_and_the_latest_files_are_built_first(marsh):
    """Old stale files do not delay the newest, and constant changes do not delay the old ones."""
    zones = [marsh, *(zone(name) for name in "ABCD")]
    for mob, here in enumerate(zones[1:], 8):
        habitat(creature(mob), here, {(1, 1): [1]})
    publish(DE)
    invalidation.invalidate_all(DE)
    StaleFile.objects.using(DE).exclude(kind="zone-map").delete()
    for number, hours in zip(zones, (3, 5, 2, 1, 4), strict=True):
        moment = timezone.now() - timedelta(hours=hours)
        StaleFile.objects.using(DE).filter(number=number).update(since=moment, latest=moment)
    publish(DE, for_s=0)
    assert stale() == {marsh, zones[2], zones[4]}, "the oldest and the newest"
    change(9, zones[2])
    publish(DE, for_s=0)
    assert stale() == {marsh}, "the oldest, and another one that changed again"


def test_of_equally_old_files_those_with_the_lowest_ids_are_built_first(marsh):
    """Invented names have the highest ids."""
    others = [zone(name) for name in "ABCD"]
    publish(DE)
    StaleFile.objects.using(DE).bulk_create(StaleFile(kind="zone-map", number=n) for n in [marsh, *others])
    now = timezone.now()
    StaleFile.objects.using(DE).update(latest=now)
    StaleFile.objects.using(DE).filter(number=others[3]).update(since=now - timedelta(hours=1))
    publish(DE, for_s=0)
    assert stale() == set(others[:3])


def test_a_floor_on_which_nothing_was_seen_has_no_contours(marsh):
    habitat(7, marsh, {(20, 20): [1]}, floor=3)
    publish(DE)
    Habitat.objects.using(DE).filter(floor=3).delete()
    invalidation.invalidate_all(DE)
    publish(DE)
    assert sorted(images(marsh)) == ["contours-0.png", "preview.png"]
    Habitat.objects.using(DE).all().delete()
    invalidation.invalidate_all(DE)
    publish(DE)
    assert list(files.folder("deDE", ZONE_IMAGES).iterdir()) == []


def test_maps_are_built_between_creatures_and_items(marsh, monkeypatch):
    publish(DE)
    monkeypatch.setattr(kinds, "BUILD_GROUPS", (kinds.BUILD_GROUPS[0], kinds.BuildGroup((MOB, ITEM), 1)))
    monkeypatch.setattr("maps.publish.build.BUILD_GROUPS", kinds.BUILD_GROUPS)
    for number in (5, 6):
        item(number, "Ding")
        creature(number)
        StaleFile.objects.using(DE).create(kind="item", number=number)
        StaleFile.objects.using(DE).create(kind="mob", number=number)
    invalidation.invalidate(DE, [7], [marsh])
    built = build.build_stale(DE)
    assert next(built) == 3
    assert (stale(), stale(MOB), stale(ITEM)) == (set(), {5}, {6})
    assert list(built) == [3], "a zone's sources with the other creatures and items"


def test_only_one_process_at_a_time_builds_files(marsh):
    invalidation.invalidate(DE, [7], [marsh])
    built: list[int] = []
    with transaction.atomic(using=DE), connections[DE].cursor() as cursor:
        assert invalidation.lock_files(cursor, wait=False)
        elsewhere(lambda: built.extend(build.build_stale(DE)))
        assert built == []
        waiting = Thread(target=lambda: (built.extend(build.build_stale(DE, wait=True)), connections.close_all()))
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
    waiting.join(120)
    assert sum(built) == 4, "map, sources and first images of the zone, and the creature's habitats"
