"""Answers and pages that are an excerpt of a published file, without a query over the merged tables."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from django.contrib.gis.geos import Polygon
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from maps import paging
from maps.models import ChangedCount, Habitat, Item, Source, Spawn, StaleSpawns, Zone
from maps.publish import excerpts, files, invalidation, kinds
from maps.publish.kinds import MOB_HABITATS, SOURCE, SOURCE_HABITATS
from maps.publish.run import publish
from tests.maps.api.contract import ask, read
from tests.maps.factories import DE, creature, habitat, loot, named_creature, source, spawn, zone

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)

EXCERPTS = [
    "zones/{zone}",
    "zones/{zone}/mobs",
    "zones/{zone}/mobs?limit=1",
    "mobs/7/positions?zone={zone}",
    "mobs/7/positions?zone={zone}&floor=3",
    "mobs/7/positions?zone={zone}&floor=8",
    "mobs/7/spawns?zone={zone}",
    "mobs/7/spawns?zone={zone}&floor=0",
    "sources/{herb}/positions",
    "sources/{herb}/positions?zone={zone}",
    "sources/{herb}/positions?zone={zone}&floor=1",
]
WHOLE = ["zones/{zone}/map", "zones/{zone}/sources", "mobs/7", "mobs/7/places", "items/3651"]
WHOLE += ["sources/{herb}", "sources/{herb}/places"]
PAGES = ["zones/{zone}", "zones/{zone}/embed", "mobs/7", "items/3651", "sources/{herb}"]


@pytest.fixture(autouse=True)
def world() -> dict[str, int]:
    """Return the ids of a zone and a herb in a published locale."""
    here = zone("Weidenmark")
    habitat(creature(7, "Wölfin"), here, {(10, 10.5): [1, 2], (50, 50): [3]})
    habitat(7, here, {(20, 20): [1]}, floor=3)
    habitat(creature(8, "Bär"), here, {(30, 30): [4]})
    loot(source("kill", 7), here, 10, {3651: 6})
    herb = source("herb", object="Friedensblume")
    habitat(-herb, here, {(33, 44.4): [1, 2], (5, 5): [1]})
    habitat(-herb, here, {(1, 1): [3]}, floor=1)
    loot(herb, here, 3, {3651: 3})
    spawn(7, here, 50.12, 50, radius=1.234, sightings=3, uploaders=3, confirmed=True)
    route = [[20, 30], [25, 30], [25, 36], [20, 30]]
    around = [[21, 31], [22, 31], [22, 32], [21, 31]]
    spawn(7, here, 20, 30, sightings=9, area=Polygon(route, around))
    spawn(7, here, 20, 20, floor=3, area=Polygon(route))
    invalidation.invalidate_all(DE)
    publish(DE)
    return {"zone": here, "herb": herb}


def of(world: dict[str, int], address: str) -> str:
    return address.format(**world)


def statements(path: str) -> list[str]:
    """Return the queries in a locale's database that a request takes."""
    with CaptureQueriesContext(connections[DE]) as seen:
        assert Client().get(path).status_code == 200, path
    return [query["sql"] for query in seen.captured_queries]


@pytest.mark.parametrize("address", EXCERPTS)
def test_an_excerpt_equals_the_answer_from_the_tables(world, address, settings):
    published = ask(f"deDE/{of(world, address)}")
    settings.PUBLISH_FILES = False
    computed = ask(f"deDE/{of(world, address)}")
    assert published.content == computed.content
    assert published["Cache-Control"] == computed["Cache-Control"]
    assert (published["ETag"][:2], computed["ETag"][:2] == "W/") == ("W/", False), "one of them is an excerpt"


@pytest.mark.parametrize("address", EXCERPTS + WHOLE)
def test_the_only_query_of_the_api_is_whether_a_file_is_stale(world, address):
    assert all("stale_file" in sql for sql in statements(f"/api/v1/deDE/{of(world, address)}"))


@pytest.mark.parametrize("address", PAGES)
def test_the_only_query_of_a_page_is_whether_a_file_is_stale(world, address):
    assert all("stale_file" in sql for sql in statements(f"/deDE/{of(world, address)}"))


@pytest.mark.parametrize("address", PAGES)
def test_a_page_shows_the_same_from_the_tables(world, address, settings):
    def shown() -> str:
        page = Client().get(f"/deDE/{of(world, address)}").content.decode()
        return re.sub(r"\?v=[0-9a-f]{16}", "", page[page.index("<main") : page.index("</main>")])

    published = shown()
    settings.PUBLISH_FILES = False
    assert published == shown()


@pytest.mark.parametrize("address", EXCERPTS)
def test_a_conditional_request_is_answered_before_the_file_is_read(world, address):
    path = f"deDE/{of(world, address)}"
    tag = ask(path)["ETag"]
    for kind in kinds.KINDS:
        for _number, file in files.list_files("deDE", kind):
            state = file.stat()
            file.write_bytes(b"?" * state.st_size)
            os.utime(file, (state.st_mtime, state.st_mtime))
    answer = ask(path, **{"If-None-Match": tag})
    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", tag)


def test_an_excerpt_of_a_file_that_has_changed_is_sent_again(world):
    path = f"deDE/mobs/7/positions?zone={world['zone']}"
    tag = ask(path)["ETag"]
    Habitat.objects.using(DE).filter(subject=7).delete()
    habitat(7, world["zone"], {(60, 60): [1]})
    StaleSpawns.objects.using(DE).create(mob=7, zone=world["zone"])
    assert len(read(f"mobs/7/positions?zone={world['zone']}")["features"]) == 1, "before it is published"
    publish(DE)
    answer = ask(path, **{"If-None-Match": tag})
    assert answer.status_code == 200 and answer["ETag"] != tag
    assert [each["geometry"]["coordinates"] for each in answer.json()["features"]] == [[60, 60]]


def test_positions_of_a_name_that_changed_are_current(world):
    raw = named_creature("Wölfin", shown_as=7)
    habitat(raw, world["zone"], {(70, 70): [9]})
    StaleSpawns.objects.using(DE).create(mob=raw, zone=world["zone"])
    assert len(read(f"mobs/7/positions?zone={world['zone']}&floor=0")["features"]) == 3


def test_what_a_file_does_not_contain_is_read_from_the_tables(world):
    elsewhere = zone("Nur Beute")
    loot(source("kill", 8), elsewhere, 1)
    for of_whom in ("mobs/7/positions", "mobs/7/spawns", f"sources/{world['herb']}/positions"):
        assert read(f"{of_whom}?zone={elsewhere}")["features"] == []
        assert ask(f"deDE/{of_whom}?zone=999999").status_code == 404
    assert [mob["name"] for mob in read(f"zones/{world['zone']}/mobs?floor=3")["mobs"]] == ["Wölfin"]


def test_the_list_of_creatures_from_a_map_is_paged(world, monkeypatch):
    first = read(f"zones/{world['zone']}/mobs?limit=1")
    second = read(f"zones/{world['zone']}/mobs?limit=1&cursor={first['next']}")
    assert [mob["id"] for mob in first["mobs"] + second["mobs"]] == [8, 7]
    assert second["next"] is None
    between = paging.encode("mobs", ["C", 1])
    assert [mob["id"] for mob in read(f"zones/{world['zone']}/mobs?cursor={between}")["mobs"]] == [7]
    assert ask(f"deDE/zones/{world['zone']}/mobs?cursor=nonsense").status_code == 400
    monkeypatch.setattr(paging, "MAX_LIMIT", 1)
    page = Client().get(f"/deDE/zones/{world['zone']}")
    assert [mob["id"] for mob in page.context["mobs"]] == [7], "seen by more players"
    assert "Creatures 1 to 1 of 2" in page.content.decode()
    for view in ("", "/embed"):
        second = Client().get(f"/deDE/zones/{world['zone']}{view}{page.context['next']}")
        assert [mob["id"] for mob in second.context["mobs"]] == [8]
        assert "Creatures 2 to 2 of 2" in second.content.decode()
        assert "Show more" in Client().get(f"/deDE/zones/{world['zone']}{view}").content.decode()
    assert second.context["next"] is None
    for page in ("nonsense", "0", "-1", "3", "9" * 50):
        assert Client().get(f"/deDE/zones/{world['zone']}?page={page}").status_code == 404, page


def test_a_list_that_is_too_short_for_all_has_the_best_known():
    def mob(id: int, name: str, sightings: int, *spawns: tuple[int, int]) -> dict[str, Any]:
        flat = [number for uploaders, confirmed in spawns for number in (uploaders, confirmed)]
        return {"id": id, "name": name, "sightings": sightings, "spawns": flat, "patrols": []}

    invented = [mob(id, f"Aaa {id}", 99, (1, 0), (2, 0)) for id in range(1000)]
    known = [mob(4119, "Kodo", 5, (1, 0), (3, 1)), mob(7, "Wolf", 5, (4, 0)), mob(8, "Worg", 6, (4, 0))]
    content = {"mobs": [*invented, *known, mob(9, "Zzz", 500)], "fields": ["uploaders", "confirmed"]}
    best = [[one["id"] for one in excerpts.best_known(content, most)] for most in (1, 2, 3)]
    assert best == [[4119], [4119, 8], [4119, 7, 8]]
    pages = [one["id"] for page in range(1, 7) for one in excerpts.best_known(content, 200, page)]
    assert sorted(pages) == sorted(one["id"] for one in content["mobs"])
    assert pages[-1] == 9, "seen often, but without a position"
    listed = [one["name"] for one in excerpts.best_known(content, 5000)]
    assert listed == [one["name"] for one in content["mobs"]]


def test_the_page_of_a_zone_shows_the_same_state_as_its_map(world):
    Habitat.objects.using(DE).filter(subject=8).delete()
    ChangedCount.objects.using(DE).create(kind="creature", number=8)
    assert len(Client().get(f"/deDE/zones/{world['zone']}").context["mobs"]) == 2
    assert len(read(f"zones/{world['zone']}/map")["mobs"]) == 2
    assert len(read(f"zones/{world['zone']}/mobs")["mobs"]) == 1, "the list of the API is current"


def test_gathering_sources_are_invalidated_with_their_habitats_and_items(world):
    herb = world["herb"]
    Habitat.objects.using(DE).filter(subject=-herb, floor=1).delete()
    Item.objects.using(DE).create(id=3651, name="Blüte")
    ChangedCount.objects.using(DE).create(kind="item", number=3651)
    invalidation.propagate(DE)
    assert read(f"sources/{herb}")["loot"][0]["name"] == "Blüte"
    publish(DE)
    assert files.read(files.path("deDE", SOURCE, herb))["loot"][0]["name"] == "Blüte"
    assert [each["floor"] for each in files.read(files.path("deDE", SOURCE_HABITATS, herb))["places"]] == [0]
    Habitat.objects.using(DE).filter(subject=-herb).delete()
    ChangedCount.objects.using(DE).create(kind="source", number=herb)
    publish(DE)
    assert not files.path("deDE", SOURCE_HABITATS, herb).exists()
    assert read(f"sources/{herb}/places")["places"] == []


def test_only_gathering_sources_have_files(world):
    skinning = source("skinning", 7)
    habitat(-skinning, world["zone"], {(1, 1): [1]})
    loot(skinning, world["zone"], 2, {3651: 1})
    invalidation.invalidate_all(DE)
    publish(DE)
    for kind in (SOURCE, SOURCE_HABITATS):
        assert [number for number, _file in files.list_files("deDE", kind)] == [world["herb"]]
    assert len(read(f"sources/{skinning}/places")["places"]) == 1


def test_a_herb_of_a_creature_has_a_file_under_the_id_it_is_shown_as(world):
    raw = named_creature("Wölfin", shown_as=7)
    by_name, by_id = source("herb", raw), source("herb", 7)
    for one in (by_name, by_id):
        habitat(-one, world["zone"], {(1, 1): [one]})
        ChangedCount.objects.using(DE).create(kind="source", number=one)
    publish(DE)
    assert not files.path("deDE", SOURCE_HABITATS, by_name).exists()
    assert files.read(files.path("deDE", SOURCE_HABITATS, by_id))["places"][0]["positions"][2:4] == [2, 2]
    assert ask(f"deDE/sources/{by_name}/places").status_code == 308


def test_the_habitats_of_a_source_with_too_many_coordinates_are_computed_on_request(world, monkeypatch):
    monkeypatch.setattr("maps.publish.kinds.MAX_GATHERED", 2)
    invalidation.invalidate_all(DE)
    publish(DE)
    assert not files.path("deDE", SOURCE_HABITATS, world["herb"]).exists()
    assert len(read(f"sources/{world['herb']}/positions")["features"]) == 3


def test_an_area_keeps_its_hole(world):
    [outdoors] = [one for one in files.read(files.path("deDE", MOB_HABITATS, 7))["places"] if one["floor"] == 0]
    assert [len(patrol.get("holes", [])) for patrol in outdoors["patrols"]] == [1]
    assert Spawn.objects.using(DE).filter(area__isnull=False).count() == 2
    assert (Zone.objects.using(DE).count(), Source.objects.using(DE).count()) == (1, 2)
