"""The content of published files equals the answers of the API."""

from __future__ import annotations

import pytest
from django.test import Client

from maps import queries
from maps.models import Habitat, NamedCreature
from maps.publish import invalidation, kinds
from maps.publish.kinds import ITEM, MOB, MOB_HABITATS, ZONE_SOURCES
from maps.publish.run import has_changes, publish
from tests.maps.api.contract import ask, read
from tests.maps.factories import DAY, DE, creature, habitat, loot, named_creature, source
from tests.maps.publish.published import change, content, file, images, recount

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


def test_a_published_map_equals_the_answer_from_the_database(marsh):
    computed = read(f"zones/{marsh}/map")
    publish(DE)
    assert content(marsh) == queries.zone_map(DE, marsh) == read(f"zones/{marsh}/map")
    assert computed["mobs"][0]["spawns"] == []
    assert len(content(marsh)["mobs"][0]["spawns"]) == 16
    assert not has_changes(DE)


def test_published_images_of_a_zone_equal_those_drawn_on_request(marsh, django_assert_num_queries):
    habitat(7, marsh, {(20, 20): [1]}, floor=3)
    drawn = {floor: Client().get(f"/deDE/zones/{marsh}/ground/{floor}.png").content for floor in (0, 3)}
    publish(DE)
    found = images(marsh)
    assert sorted(found) == ["contours-0.png", "contours-3.png", "preview.png"]
    assert {floor: found[f"contours-{floor}.png"] for floor in (0, 3)} == drawn
    with django_assert_num_queries(0, using=DE):
        for name, address in (("contours-3.png", "ground/3.png"), ("preview.png", "preview.png")):
            answer = Client().get(f"/deDE/zones/{marsh}/{address}")
            assert (answer.content, answer["Content-Type"]) == (found[name], "image/png")
    assert Client().get(f"/deDE/zones/{marsh}/ground/7.png").status_code == 404


def test_published_habitats_of_a_creature_equal_the_answers_of_the_api(marsh, django_assert_num_queries):
    habitat(7, marsh, {(20.5, 20): [1, 1]}, floor=3)
    publish(DE)
    found = content(7, MOB_HABITATS)
    assert found == queries.mob_habitats(DE, 7)
    with django_assert_num_queries(1, using=DE):
        assert read("mobs/7/places") == found
    outdoors, third = found["places"]
    assert (outdoors["zone"], outdoors["floor"], third["floor"]) == (marsh, 0, 3)
    for one in (outdoors, third):
        points = read(f"mobs/7/positions?zone={marsh}&floor={one['floor']}")["features"]
        assert one["positions"][::6] == [point["geometry"]["coordinates"][0] for point in points]
        assert one["positions"][2::6] == [point["properties"]["sightings"] for point in points]
        spawns = read(f"mobs/7/spawns?zone={marsh}&floor={one['floor']}")["features"]
        assert one["spawns"][1::6] == [point["geometry"]["coordinates"][1] for point in spawns]


def test_a_creature_without_coordinates_has_no_file_of_habitats(marsh):
    creature(8, "Bär")
    invalidation.invalidate_all(DE)
    publish(DE)
    assert file(7, MOB_HABITATS).exists() and not file(8, MOB_HABITATS).exists()
    assert read("mobs/8/places")["places"] == []
    Habitat.objects.using(DE).all().delete()
    change(7, marsh)
    publish(DE)
    assert not file(7, MOB_HABITATS).exists()


def test_the_habitats_of_a_creature_with_too_many_coordinates_are_computed_on_request(marsh, monkeypatch):
    monkeypatch.setattr(kinds, "MAX_POSITIONS", 1)
    publish(DE)
    assert not file(7, MOB_HABITATS).exists()
    assert len(read("mobs/7/places")["places"][0]["positions"]) == 12


def test_the_habitats_of_a_name_redirect_to_its_creature(marsh):
    raw = named_creature("Wolf", shown_as=7)
    habitat(raw, marsh, {(30, 30): [4]})
    change(raw, marsh)
    publish(DE)
    assert ask(f"deDE/mobs/{raw}/places").status_code == 308
    assert len(content(7, MOB_HABITATS)["places"][0]["positions"]) == 18
    assert not file(raw, MOB_HABITATS).exists()


def test_published_sources_of_a_zone_equal_the_answer_of_the_api(marsh):
    herb = source("herb", object="Friedensblume")
    habitat(-herb, marsh, {(33, 44): [1, 2]})
    loot(herb, marsh, 3, {9: 3})
    recount(("zone", marsh), ("source", herb))
    computed = read(f"zones/{marsh}/sources")
    publish(DE)
    assert content(marsh, ZONE_SOURCES) == computed == read(f"zones/{marsh}/sources")
    assert computed["sources"][0]["points"] == [0, 33, 44, 2, 2, DAY, DAY]


def test_a_published_creature_and_its_items_equal_the_answers_of_the_api(wolf):
    computed = {path: read(path) for path in ("mobs/7", "items/3651", "items/20")}
    publish(DE)
    assert not has_changes(DE)
    assert content(7, MOB) == computed["mobs/7"] == read("mobs/7")
    assert content(3651, ITEM) == computed["items/3651"] == read("items/3651")
    assert content(20, ITEM) == computed["items/20"] == read("items/20")
    assert content(7, MOB)["lootings"] == 10


def test_a_creature_shown_under_another_id_has_no_file(wolf):
    raw = named_creature("Wolf")
    gives = source("skinning", raw)
    loot(gives, 1, 4, {5: 2})
    recount(("creature", raw), ("source", gives))
    publish(DE)
    assert content(raw, MOB)["id"] == raw
    NamedCreature.objects.using(DE).update(shown_as=7)
    recount(("creature", raw), ("creature", 7), ("source", gives), ("source", wolf))
    publish(DE)
    assert not file(raw, MOB).exists()
    assert [source["kind"] for source in content(7, MOB)["other_loot"]] == ["skinning"]
    assert content(5, ITEM)["other_sources"][0]["name"] == "Wolf"
    assert ask(f"deDE/mobs/{raw}").status_code == 308
