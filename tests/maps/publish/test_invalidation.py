"""Whatever changes in the tables invalidates the files that show it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from maps.models import CreatureName, StaleFile
from maps.publish import invalidation
from maps.publish.kinds import ITEM, MOB, ZONE_IMAGES
from maps.publish.run import has_changes, publish
from tests.maps.api.contract import read
from tests.maps.factories import DE, creature, habitat, item, loot, named_creature, source, zone
from tests.maps.publish.published import change, content, file, images, recount, stale, wolf_zone
from tests.threads import elsewhere

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


def test_a_renamed_creature_invalidates_the_maps_of_all_its_zones(marsh):
    elsewhere, other = zone("Anderswo"), zone("Ohne Wolf")
    habitat(7, elsewhere, {(1, 1): [1]})
    habitat(creature(8, "Bär"), other, {(1, 1): [1]})
    raw = named_creature("Wolf", shown_as=7)
    named = zone("Nur dem Namen nach")
    habitat(raw, named, {(2, 2): [1]})
    publish(DE)
    CreatureName.objects.using(DE).filter(creature=7).update(name="Leitwolf")
    change(7, marsh)
    publish(DE)
    for one in (marsh, elsewhere, named):
        assert content(one)["mobs"][0]["name"] == "Leitwolf"
    assert not file(other).exists()


def test_a_delay_that_is_longer_than_possible_ends(marsh):
    """The clock was set back: files invalidated before would otherwise wait until that time is reached again."""
    publish(DE)
    CreatureName.objects.using(DE).update(name="Leitwolf")
    invalidation.invalidate(DE, [7], [marsh])
    ahead = timezone.now() + timedelta(hours=5)
    StaleFile.objects.using(DE).update(since=ahead)
    with transaction.atomic(using=DE):
        StaleFile.objects.using(DE).select_for_update().get(kind="zone-map")
        elsewhere(lambda: invalidation.cap_delays(DE))
    held = StaleFile.objects.using(DE).get(kind="zone-map")
    assert (held.since, stale()) == (ahead, {marsh}), "a row that a transaction has locked is left for the next time"
    StaleFile.objects.using(DE).update(since=ahead)
    assert has_changes(DE)
    publish(DE)
    assert not StaleFile.objects.using(DE).exists()
    assert content(marsh)["mobs"][0]["name"] == "Leitwolf"


def test_images_are_delayed_before_they_are_drawn_again(marsh):
    publish(DE)
    first = images(marsh)
    habitat(creature(8, "Bär"), marsh, {(90, 90): [1]})
    change(8, marsh)
    publish(DE)
    assert images(marsh) == first and stale(ZONE_IMAGES) == {marsh}
    assert len(content(marsh)["mobs"]) == 2
    assert not has_changes(DE), "nothing is to be done until then"
    StaleFile.objects.using(DE).update(since=timezone.now() - timedelta(seconds=1))
    assert has_changes(DE)
    publish(DE)
    assert images(marsh).keys() == first.keys() and images(marsh)["contours-0.png"] != first["contours-0.png"]
    assert stale(ZONE_IMAGES) == set()


def test_gathering_invalidates_the_images_as_well(marsh):
    publish(DE)
    recount(("zone", marsh))
    invalidation.propagate(DE)
    assert stale(ZONE_IMAGES) == {marsh}


def test_a_renamed_creature_invalidates_its_items(wolf):
    publish(DE)
    CreatureName.objects.using(DE).update(name="Leitwolf")
    recount(("creature", 7))
    publish(DE)
    assert content(3651, ITEM)["dropped_by"][0]["name"] == "Leitwolf"
    written = file(3651, ITEM).stat().st_ino
    recount(("creature", 7))
    invalidation.propagate(DE)
    assert (stale(MOB), stale(ITEM)) == ({7}, set())
    publish(DE)
    assert file(3651, ITEM).stat().st_ino == written


def test_a_renamed_item_invalidates_creatures_and_items(wolf):
    box = source("item", item=3651)
    loot(box, 1, 5, {21: 1})
    publish(DE)
    item(20, "Zahn")
    queries_before = read("items/21")["other_sources"][0]["name"]
    recount(("item", 20), ("item", 3651), ("source", box))
    publish(DE)
    assert [drop["name"] for drop in content(7, MOB)["loot"]] == ["Pelz", "Zahn"]
    assert content(21, ITEM)["other_sources"][0]["name"] == queries_before == "Pelz"


def test_without_published_files_changed_counts_are_dropped(wolf, settings):
    settings.PUBLISH_FILES = False
    publish(DE)
    assert not has_changes(DE)
    assert (stale(MOB), stale(ITEM)) == (set(), set())


def test_all_files_can_be_invalidated_at_once(wolf):
    publish(DE)
    elsewhere = zone("Nur Beute")
    loot(source("kill", 8), elsewhere, 3, {30: 1})
    recount(("all", 0))
    invalidation.propagate(DE)
    assert (stale(), stale(MOB), stale(ITEM)) == ({wolf_zone(), elsewhere}, {7, 8}, {20, 30, 3651})
