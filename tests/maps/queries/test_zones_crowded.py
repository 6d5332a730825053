"""Uploads may contain more names and coordinates than any zone has: maps and lists are limited to the best known."""

from __future__ import annotations

import re
from importlib import import_module

import pytest
from django.test import Client

from maps import paging, queries
from maps.models import StaleSpawns
from maps.pages import views
from maps.publish import kinds, serve
from maps.publish.run import publish
from maps.queries import gathering
from tests.maps.api.contract import read
from tests.maps.factories import DE, creature, habitat, loot, source, spawn, zone

#: `maps.queries.zones` is the function of that name.
zones = import_module("maps.queries.zones")

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


@pytest.fixture
def crowded() -> int:
    """A zone with a creature seen by two players, one seen twice by one player, and three from a single upload."""
    here = zone("Weidenmark")
    habitat(creature(7, "Wolf"), here, {(10, 10): [1, 2]})
    spawn(7, here, x=10, y=10, uploaders=2, sightings=2, confirmed=True)
    habitat(creature(8, "Bär"), here, {(20, 20): [1, 1]})
    spawn(8, here, x=20, y=20, uploaders=1, sightings=2, confirmed=False)
    for invented in (1, 2, 3):
        habitat(creature(invented, f"Aaa {invented}"), here, {(30, 30): [9]})
        spawn(invented, here, x=30, y=30, uploaders=1, sightings=1, confirmed=False)
    return here


def drawn(here: int) -> list[str]:
    return [mob["name"] for mob in queries.zone_map(DE, here)["mobs"]]


def test_a_map_draws_the_best_known_creatures_up_to_a_limit(crowded, monkeypatch):
    assert drawn(crowded) == ["Aaa 1", "Aaa 2", "Aaa 3", "Bär", "Wolf"]
    for most, names in ((1, ["Wolf"]), (2, ["Bär", "Wolf"]), (3, ["Aaa 1", "Bär", "Wolf"])):
        monkeypatch.setattr(zones, "MAX_MOBS", most)
        assert drawn(crowded) == names


def test_a_map_draws_creatures_up_to_a_limit_of_spawn_points(crowded, monkeypatch):
    monkeypatch.setattr(zones, "MAX_SPAWNS", 2)
    assert drawn(crowded) == ["Bär", "Wolf"]
    for x in (40, 50, 60):
        spawn(7, crowded, x=x, y=10, uploaders=1, sightings=x, confirmed=False)
    monkeypatch.setattr(zones, "MAX_SPAWNS", 3)
    assert drawn(crowded) == [], "the best known exceeds the limit"
    monkeypatch.setattr(zones, "MAX_SPAWNS_OF_ONE", 2)
    assert drawn(crowded) == ["Bär", "Wolf"]
    (wolf,) = (mob for mob in queries.zone_map(DE, crowded)["mobs"] if mob["id"] == 7)
    assert wolf["spawns"][1 :: len(zones.SPAWN_FIELDS)] == [60, 10], "the confirmed one and the one seen most often"
    assert {(one["mob"], one["x"]) for one in queries.zone_spawns(DE, crowded)} == {(7, 10), (7, 60), (8, 20)}


def test_creatures_that_a_map_leaves_out_are_counted_and_listed(crowded, monkeypatch):
    assert "not drawn" not in Client().get(f"/deDE/zones/{crowded}").content.decode()
    monkeypatch.setattr(zones, "MAX_MOBS", 2)
    StaleSpawns.objects.using(DE).create(mob=7, zone=crowded)
    publish(DE)
    published = serve.content(DE, kinds.ZONE_MAP, crowded)
    assert published is not None
    assert [mob["name"] for mob in published["mobs"]] == ["Bär", "Wolf"]
    assert published["zone"]["mobs"] == 5
    for view in ("", "/embed"):
        page = Client().get(f"/deDE/zones/{crowded}{view}").content.decode()
        assert "3 more creatures are hardly known here and not drawn." in page
    names = [mob["name"] for mob in read(f"zones/{crowded}/mobs")["mobs"]]
    assert names == ["Aaa 1", "Aaa 2", "Aaa 3", "Bär", "Wolf"], "from the tables, as the file lacks some"
    first = read(f"zones/{crowded}/mobs?limit=4")
    assert [mob["name"] for mob in read(f"zones/{crowded}/mobs?cursor={first['next']}")["mobs"]] == ["Wolf"]


def test_a_map_draws_the_best_known_herbs(monkeypatch):
    here = zone("Weidenmark")
    known = (("Friedensblume", 5, [1, 2], 2), ("Silberblatt", 9, [1], 3), ("Aaa", 8, [1], 1))
    for name, lootings, players, coordinates in known:
        herb = source("herb", object=name)
        loot(herb, here, lootings)
        habitat(-herb, here, {(10 + n, 10): players if n == coordinates else [1] for n in range(1, coordinates + 1)})
    loot(source("fishing", zone=here), here, 4)
    skins = source("skinning", creature=creature(7, "Wolf"))
    loot(skins, here, 99)
    habitat(-skins, here, {(20 + n, 20): [1, 2, 3] for n in range(9)})

    def drawn() -> dict[str, list[float]]:
        """Return the x of each source's coordinates."""
        found = queries.zone_sources(DE, here)["sources"]
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
        monkeypatch.setattr(gathering, "MAX_SOURCES", most)
        assert list(drawn()) == names, "skins have no shape on a map; two players have found Friedensblume"
    monkeypatch.setattr(gathering, "MAX_POSITIONS", 3)
    assert list(drawn()) == ["Friedensblume"]
    monkeypatch.setattr(gathering, "MAX_POSITIONS_OF_ONE", 1)
    assert drawn() == {"Friedensblume": [12], "Silberblatt": [11]}, "of each the coordinate that most have found"
    assert len(read(f"sources?zone={here}")["sources"]) == 5


def test_of_many_zones_the_best_known_are_listed_first(crowded, monkeypatch):
    elsewhere, invented = zone("Ödland"), zone("Aaa")
    for mob, here, sightings in ((20, elsewhere, 9), (21, invented, 8)):
        habitat(creature(mob), here, {(n, n): [1] for n in range(1, sightings + 1)})
    habitat(7, invented, {})
    monkeypatch.setattr(views, "MAX_SHOWN", 2)

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


def test_of_many_herbs_the_best_known_are_listed_first(monkeypatch):
    here = zone("Weidenmark")
    for name, lootings, players in (("Aaa", 1, [1]), ("Bbb", 9, [1, 1]), ("Ccc", 2, [1, 2])):
        herb = source("herb", object=name)
        loot(herb, here, lootings)
        habitat(-herb, here, {(10, 10): players})
    loot(source("ore", object="Kupfer"), here, 5)
    monkeypatch.setattr(views, "MAX_SHOWN", 2)

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


def test_of_many_habitats_a_page_shows_those_with_the_most_sightings(monkeypatch):
    monkeypatch.setattr(views, "MAX_SHOWN", 2)
    creature(7, "Wolf")
    herb = source("herb", object="Friedensblume")
    for name, sightings, lootings in (("Aaa", 1, 9), ("Bbb", 3, 1), ("Ccc", 2, 5)):
        here = zone(name)
        for subject in (7, -herb):
            habitat(subject, here, {(n, n): [1] for n in range(1, sightings + 1)})
        loot(herb, here, lootings)
    for address in ("mobs/7", f"sources/{herb}"):
        page = Client().get(f"/deDE/{address}")
        assert [one["name"] for one in page.context["zones"]] == ["Bbb", "Ccc"]
        assert "1 more location has fewer sightings." in page.content.decode()
        assert page.context["totals"]["sightings"] == 6, "of all zones"
        monkeypatch.setattr(views, "MAX_SHOWN", 3)
        assert "fewer sightings" not in Client().get(f"/deDE/{address}").content.decode()
        monkeypatch.setattr(views, "MAX_SHOWN", 2)
