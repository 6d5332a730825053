"""Uploads may bring more names and places than any zone holds: a map stays small and shows what is known best."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from maps import paging, queries
from maps.models import StaleSpawns
from maps.pages import views
from maps.publish import kinds, serve
from maps.publish.changes import publish
from maps.queries import gathering, zones
from tests.maps.api.contract import read
from tests.maps.factories import DE, creature, habitat, loot, source, spawn, zone

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


@pytest.fixture
def crowded() -> int:
    """A zone of a creature that two players met, one that one player met twice, and three that came in one upload."""
    place = zone("Weidenmark")
    habitat(creature(7, "Wolf"), place, {(10, 10): [1, 2]})
    spawn(7, place, x=10, y=10, uploaders=2, sightings=2, confirmed=True)
    habitat(creature(8, "Bär"), place, {(20, 20): [1, 1]})
    spawn(8, place, x=20, y=20, uploaders=1, sightings=2, confirmed=False)
    for invented in (1, 2, 3):
        habitat(creature(invented, f"Aaa {invented}"), place, {(30, 30): [9]})
        spawn(invented, place, x=30, y=30, uploaders=1, sightings=1, confirmed=False)
    return place


def drawn(place: int) -> list[str]:
    return [mob["name"] for mob in queries.zone_map(DE, place)["mobs"]]


def test_a_map_draws_as_many_creatures_as_it_has_room_for_the_best_known_first(crowded, monkeypatch):
    assert drawn(crowded) == ["Aaa 1", "Aaa 2", "Aaa 3", "Bär", "Wolf"]
    for most, names in ((1, ["Wolf"]), (2, ["Bär", "Wolf"]), (3, ["Aaa 1", "Bär", "Wolf"])):
        monkeypatch.setattr(zones, "MOST_MOBS", most)
        assert drawn(crowded) == names


def test_a_map_draws_as_many_spawn_points_as_it_has_room_for(crowded, monkeypatch):
    monkeypatch.setattr(zones, "MOST_SPAWNS", 2)
    assert drawn(crowded) == ["Bär", "Wolf"]
    for x in (40, 50, 60):
        spawn(7, crowded, x=x, y=10, uploaders=1, sightings=x, confirmed=False)
    monkeypatch.setattr(zones, "MOST_SPAWNS", 3)
    assert drawn(crowded) == [], "not even the best known has room"
    monkeypatch.setattr(zones, "MOST_SPAWNS_OF_ONE", 2)
    assert drawn(crowded) == ["Bär", "Wolf"]
    (wolf,) = (mob for mob in queries.zone_map(DE, crowded)["mobs"] if mob["id"] == 7)
    assert wolf["spawns"][1 :: len(zones.SPAWN_FIELDS)] == [60, 10], "the confirmed one and the one seen most often"
    assert {(one["mob"], one["x"]) for one in queries.zone_spawns(DE, crowded)} == {(7, 10), (7, 60), (8, 20)}


def test_creatures_that_a_map_leaves_out_are_told_of_and_in_the_zones_list(crowded, monkeypatch):
    assert "not drawn" not in Client().get(f"/deDE/zones/{crowded}").content.decode()
    monkeypatch.setattr(zones, "MOST_MOBS", 2)
    StaleSpawns.objects.using(DE).create(mob=7, zone=crowded)
    publish(DE)
    told = serve.found(DE, kinds.ZONE_MAP, crowded)
    assert told is not None
    assert [mob["name"] for mob in told["mobs"]] == ["Bär", "Wolf"]
    assert told["zone"]["mobs"] == 5
    for view in ("", "/embed"):
        page = Client().get(f"/deDE/zones/{crowded}{view}").content.decode()
        assert "3 more creatures are hardly known here and not drawn." in page
    names = [mob["name"] for mob in read(f"zones/{crowded}/mobs")["mobs"]]
    assert names == ["Aaa 1", "Aaa 2", "Aaa 3", "Bär", "Wolf"], "from the tables, as the document lacks some"
    first = read(f"zones/{crowded}/mobs?limit=4")
    assert [mob["name"] for mob in read(f"zones/{crowded}/mobs?cursor={first['next']}")["mobs"]] == ["Wolf"]


def test_a_map_draws_the_herbs_that_are_known_best(monkeypatch):
    place = zone("Weidenmark")
    known = (("Friedensblume", 5, [1, 2], 2), ("Silberblatt", 9, [1], 3), ("Aaa", 8, [1], 1))
    for name, lootings, players, coordinates in known:
        herb = source("herb", object=name)
        loot(herb, place, lootings)
        habitat(-herb, place, {(10 + n, 10): players if n == coordinates else [1] for n in range(1, coordinates + 1)})
    loot(source("fishing", zone=place), place, 4)
    skins = source("skinning", creature=creature(7, "Wolf"))
    loot(skins, place, 99)
    habitat(-skins, place, {(20 + n, 20): [1, 2, 3] for n in range(9)})

    def drawn() -> dict[str, list[float]]:
        """Return the horizontal places of each source."""
        found = queries.zone_sources(DE, place)["sources"]
        return {one["name"]: one["points"][1 :: len(gathering.POSITION_FIELDS)] for one in found}

    everything = drawn()
    assert everything["Silberblatt"] == [11, 12, 13]
    assert {name: len(points) for name, points in everything.items()} == {
        "Aaa": 1,
        "Friedensblume": 2,
        "Silberblatt": 3,
        "Weidenmark": 0,
        "Wolf": 9,
    }
    for most, names in (
        (4, ["Aaa", "Friedensblume", "Silberblatt", "Weidenmark"]),
        (2, ["Friedensblume", "Silberblatt"]),
    ):
        monkeypatch.setattr(gathering, "MOST_SOURCES", most)
        assert list(drawn()) == names, "skins have no shape on a map; two players have found Friedensblume"
    monkeypatch.setattr(gathering, "MOST_POSITIONS", 3)
    assert list(drawn()) == ["Friedensblume"]
    monkeypatch.setattr(gathering, "MOST_POSITIONS_OF_ONE", 1)
    assert drawn() == {"Friedensblume": [12], "Silberblatt": [11]}, "of each the coordinate that most have found"
    assert len(read(f"sources?zone={place}")["sources"]) == 5


def test_the_list_of_zones_begins_with_those_known_best_if_there_are_many(crowded, monkeypatch):
    elsewhere, invented = zone("Ödland"), zone("Aaa")
    for mob, place, sightings in ((20, elsewhere, 9), (21, invented, 8)):
        habitat(creature(mob), place, {(n, n): [1] for n in range(1, sightings + 1)})
    habitat(7, invented, {})
    monkeypatch.setattr(views, "SHOWN", 2)

    def listed(query: str = "") -> tuple[list[str], str]:
        page = Client().get(f"/deDE/zones{query}")
        return [one["name"] for one in page.context["zones"]], page.content.decode()

    assert listed()[0] == ["Aaa", "Ödland", "Weidenmark"]
    assert "All by name" not in listed()[1]
    monkeypatch.setattr(paging, "MAX_LIMIT", 2)
    names, page = listed()
    assert names == ["Weidenmark", "Ödland"], "a confirmed spawn point counts for more than sightings"
    assert "Show more" not in page
    everything = re.search(r'href="([^"]*)">All by name', page)
    assert everything is not None
    names, page = listed(everything[1])
    assert names == ["Aaa", "Ödland"]
    assert "All by name" not in page
    following = re.search(r'href="([^"]*)" rel="next">', page)
    assert following is not None
    assert listed(following[1])[0] == ["Weidenmark"]
    everywhere = {one["name"]: one for one in queries.zones(DE)["zones"]}
    assert queries.best_known_zones(DE, 2) == [everywhere["Weidenmark"], everywhere["Ödland"]]


def test_the_list_of_herbs_begins_with_those_known_best_if_there_are_many(monkeypatch):
    place = zone("Weidenmark")
    for name, lootings, players in (("Aaa", 1, [1]), ("Bbb", 9, [1, 1]), ("Ccc", 2, [1, 2])):
        herb = source("herb", object=name)
        loot(herb, place, lootings)
        habitat(-herb, place, {(10, 10): players})
    loot(source("ore", object="Kupfer"), place, 5)
    monkeypatch.setattr(views, "SHOWN", 2)

    def listed(query: str) -> tuple[list[str], str]:
        page = Client().get(f"/deDE/sources{query}")
        return [one["name"] for one in page.context["sources"]], page.content.decode()

    assert listed("?kind=herb")[0] == ["Aaa", "Bbb", "Ccc"]
    monkeypatch.setattr(paging, "MAX_LIMIT", 2)
    names, page = listed("?kind=herb")
    assert names == ["Ccc", "Bbb"], "found by two players, then looted most often"
    everything = re.search(r'href="([^"]*)">All by name', page)
    assert everything is not None
    assert listed(everything[1].replace("&amp;", "&"))[0] == ["Aaa", "Bbb", "Ccc"]
    assert listed("?kind=ore")[0] == ["Kupfer"]
    assert listed("")[0] == ["Ccc", "Bbb"]
    counted = {one["name"]: one for one in queries.sources(DE, "herb")["sources"]}
    assert queries.best_known_sources(DE, "herb", 2) == [counted["Ccc"], counted["Bbb"]]


def test_of_what_was_seen_in_many_zones_a_page_tells_the_most_visited(monkeypatch):
    monkeypatch.setattr(views, "SHOWN", 2)
    creature(7, "Wolf")
    herb = source("herb", object="Friedensblume")
    for name, sightings, lootings in (("Aaa", 1, 9), ("Bbb", 3, 1), ("Ccc", 2, 5)):
        place = zone(name)
        for subject in (7, -herb):
            habitat(subject, place, {(n, n): [1] for n in range(1, sightings + 1)})
        loot(herb, place, lootings)
    for address in ("mobs/7", f"sources/{herb}"):
        page = Client().get(f"/deDE/{address}")
        assert [one["name"] for one in page.context["zones"]] == ["Bbb", "Ccc"]
        assert "1 more place has fewer sightings." in page.content.decode()
        assert page.context["totals"]["sightings"] == 6, "of all zones"
        monkeypatch.setattr(views, "SHOWN", 3)
        assert "fewer sightings" not in Client().get(f"/deDE/{address}").content.decode()
        monkeypatch.setattr(views, "SHOWN", 2)
