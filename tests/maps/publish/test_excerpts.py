"""What is read without a query over the merged tables: pages and answers that are a part of a published document."""

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
from maps.publish.changes import publish
from maps.publish.kinds import MOB_PLACES, SOURCE, SOURCE_PLACES
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
    """Return the ids of a zone and a herb in a published world."""
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
    way = [[20, 30], [25, 30], [25, 36], [20, 30]]
    around = [[21, 31], [22, 31], [22, 32], [21, 31]]
    spawn(7, here, 20, 30, sightings=9, area=Polygon(way, around))
    spawn(7, here, 20, 20, floor=3, area=Polygon(way))
    invalidation.mark_all(DE)
    publish(DE)
    return {"zone": here, "herb": herb}


def of(world: dict[str, int], address: str) -> str:
    return address.format(**world)


def statements(path: str) -> list[str]:
    """Return the queries in a locale's database that an address takes."""
    with CaptureQueriesContext(connections[DE]) as seen:
        assert Client().get(path).status_code == 200, path
    return [query["sql"] for query in seen.captured_queries]


@pytest.mark.parametrize("address", EXCERPTS)
def test_an_excerpt_is_what_the_tables_tell(world, address, settings):
    published = ask(f"deDE/{of(world, address)}")
    settings.PUBLISH_DOCUMENTS = False
    computed = ask(f"deDE/{of(world, address)}")
    assert published.content == computed.content
    assert published["Cache-Control"] == computed["Cache-Control"]
    assert (published["ETag"][:2], computed["ETag"][:2] == "W/") == ("W/", False), "one of them is an excerpt"


@pytest.mark.parametrize("address", EXCERPTS + WHOLE)
def test_the_api_asks_only_whether_a_document_is_up_to_date(world, address):
    assert all("stale_file" in sql for sql in statements(f"/api/v1/deDE/{of(world, address)}"))


@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_made_of_documents(world, address):
    assert all("stale_file" in sql for sql in statements(f"/deDE/{of(world, address)}"))


@pytest.mark.parametrize("address", PAGES)
def test_a_page_shows_the_same_from_the_tables(world, address, settings):
    def shown() -> str:
        page = Client().get(f"/deDE/{of(world, address)}").content.decode()
        return re.sub(r"\?v=[0-9a-f]{16}", "", page[page.index("<main") : page.index("</main>")])

    published = shown()
    settings.PUBLISH_DOCUMENTS = False
    assert published == shown()


@pytest.mark.parametrize("address", EXCERPTS)
def test_who_has_an_excerpt_is_told_so_before_the_document_is_opened(world, address):
    path = f"deDE/{of(world, address)}"
    tag = ask(path)["ETag"]
    for kind in kinds.KINDS:
        for _number, file in files.numbers("deDE", kind):
            state = file.stat()
            file.write_bytes(b"?" * state.st_size)
            os.utime(file, (state.st_mtime, state.st_mtime))
    answer = ask(path, **{"If-None-Match": tag})
    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", tag)


def test_an_excerpt_of_a_document_that_has_changed_is_told_anew(world):
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


def test_positions_of_a_name_that_changed_are_told_as_they_are(world):
    raw = named_creature("Wölfin", shown_as=7)
    habitat(raw, world["zone"], {(70, 70): [9]})
    StaleSpawns.objects.using(DE).create(mob=raw, zone=world["zone"])
    assert len(read(f"mobs/7/positions?zone={world['zone']}&floor=0")["features"]) == 3


def test_what_a_document_says_nothing_of_is_looked_up(world):
    elsewhere = zone("Nur Beute")
    loot(source("kill", 8), elsewhere, 1)
    for of_whom in ("mobs/7/positions", "mobs/7/spawns", f"sources/{world['herb']}/positions"):
        assert read(f"{of_whom}?zone={elsewhere}")["features"] == []
        assert ask(f"deDE/{of_whom}?zone=999999").status_code == 404
    assert [mob["name"] for mob in read(f"zones/{world['zone']}/mobs?floor=3")["mobs"]] == ["Wölfin"]


def test_a_list_taken_out_of_a_map_is_paged(world, monkeypatch):
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
        rest = Client().get(f"/deDE/zones/{world['zone']}{view}{page.context['next']}")
        assert [mob["id"] for mob in rest.context["mobs"]] == [8]
        assert "Creatures 2 to 2 of 2" in rest.content.decode()
        assert "Show more" in Client().get(f"/deDE/zones/{world['zone']}{view}").content.decode()
    assert rest.context["next"] is None
    for page in ("nonsense", "0", "-1", "3", "9" * 50):
        assert Client().get(f"/deDE/zones/{world['zone']}?page={page}").status_code == 404, page


def test_a_list_with_too_little_room_holds_what_is_known_best():
    def mob(id: int, name: str, sightings: int, *spawns: tuple[int, int]) -> dict[str, Any]:
        flat = [number for uploaders, confirmed in spawns for number in (uploaders, confirmed)]
        return {"id": id, "name": name, "sightings": sightings, "spawns": flat, "patrols": []}

    invented = [mob(id, f"Aaa {id}", 99, (1, 0), (2, 0)) for id in range(1000)]
    known = [mob(4119, "Kodo", 5, (1, 0), (3, 1)), mob(7, "Wolf", 5, (4, 0)), mob(8, "Worg", 6, (4, 0))]
    told = {"mobs": [*invented, *known, mob(9, "Zzz", 500)], "fields": ["uploaders", "confirmed"]}
    best = [[one["id"] for one in excerpts.best_known(told, most)] for most in (1, 2, 3)]
    assert best == [[4119], [4119, 8], [4119, 7, 8]]
    pages = [one["id"] for page in range(1, 7) for one in excerpts.best_known(told, 200, page)]
    assert sorted(pages) == sorted(one["id"] for one in told["mobs"])
    assert pages[-1] == 9, "seen often, and nowhere"
    listed = [one["name"] for one in excerpts.best_known(told, 5000)]
    assert listed == [one["name"] for one in told["mobs"]]


def test_a_zones_page_is_as_old_as_its_map(world):
    Habitat.objects.using(DE).filter(subject=8).delete()
    ChangedCount.objects.using(DE).create(kind="creature", number=8)
    assert len(Client().get(f"/deDE/zones/{world['zone']}").context["mobs"]) == 2
    assert len(read(f"zones/{world['zone']}/map")["mobs"]) == 2
    assert len(read(f"zones/{world['zone']}/mobs")["mobs"]) == 1, "the list by itself is as new as the tables"


def test_what_is_gathered_follows_its_places_and_the_names_of_what_it_gives(world):
    herb = world["herb"]
    Habitat.objects.using(DE).filter(subject=-herb, floor=1).delete()
    Item.objects.using(DE).create(id=3651, name="Blüte")
    ChangedCount.objects.using(DE).create(kind="item", number=3651)
    invalidation.spread(DE)
    assert read(f"sources/{herb}")["loot"][0]["name"] == "Blüte"
    publish(DE)
    assert files.read(files.path("deDE", SOURCE, herb))["loot"][0]["name"] == "Blüte"
    assert [place["floor"] for place in files.read(files.path("deDE", SOURCE_PLACES, herb))["places"]] == [0]
    Habitat.objects.using(DE).filter(subject=-herb).delete()
    ChangedCount.objects.using(DE).create(kind="source", number=herb)
    publish(DE)
    assert not files.path("deDE", SOURCE_PLACES, herb).exists()
    assert read(f"sources/{herb}/places")["places"] == []


def test_only_what_is_gathered_has_documents_among_sources(world):
    skinning = source("skinning", 7)
    habitat(-skinning, world["zone"], {(1, 1): [1]})
    loot(skinning, world["zone"], 2, {3651: 1})
    invalidation.mark_all(DE)
    publish(DE)
    for kind in (SOURCE, SOURCE_PLACES):
        assert [number for number, _file in files.numbers("deDE", kind)] == [world["herb"]]
    assert len(read(f"sources/{skinning}/places")["places"]) == 1


def test_a_herb_of_a_creature_has_a_document_under_the_id_it_is_shown_by(world):
    raw = named_creature("Wölfin", shown_as=7)
    by_name, by_id = source("herb", raw), source("herb", 7)
    for one in (by_name, by_id):
        habitat(-one, world["zone"], {(1, 1): [one]})
        ChangedCount.objects.using(DE).create(kind="source", number=one)
    publish(DE)
    assert not files.path("deDE", SOURCE_PLACES, by_name).exists()
    assert files.read(files.path("deDE", SOURCE_PLACES, by_id))["places"][0]["positions"][2:4] == [2, 2]
    assert ask(f"deDE/sources/{by_name}/places").status_code == 308


def test_a_source_in_too_many_places_is_told_when_asked_for(world, monkeypatch):
    monkeypatch.setattr("maps.publish.kinds.MOST_GATHERED", 2)
    invalidation.mark_all(DE)
    publish(DE)
    assert not files.path("deDE", SOURCE_PLACES, world["herb"]).exists()
    assert len(read(f"sources/{world['herb']}/positions")["features"]) == 3


def test_the_way_around_something_keeps_its_hole(world):
    [place] = [one for one in files.read(files.path("deDE", MOB_PLACES, 7))["places"] if one["floor"] == 0]
    assert [len(patrol.get("holes", [])) for patrol in place["patrols"]] == [1]
    assert Spawn.objects.using(DE).filter(area__isnull=False).count() == 2
    assert (Zone.objects.using(DE).count(), Source.objects.using(DE).count()) == (1, 2)
