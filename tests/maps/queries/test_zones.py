"""Zones, their creatures and their maps as the API answers them."""

from __future__ import annotations

from django.contrib.gis.geos import Polygon

from maps.models import Spawn
from tests.conftest import ALL_DATABASES
from tests.maps import factories as make
from tests.maps.api.contract import read

pytestmark = ALL_DATABASES


def test_a_zone_counts_creatures_coordinates_and_sightings() -> None:
    zone = make.zone("Tausend Nadeln")
    make.habitat(make.creature(1, "Wolf"), zone, {(21.6, 33): [1, 2], (46.1, 40.7): [1]}, unplaced=4)
    make.habitat(1, zone, {(21.6, 33): [1]}, floor=1)
    make.habitat(make.creature(2, "Bär"), zone, {(21.6, 33): [3]})
    listed = {"id": zone, "name": "Tausend Nadeln", "mobs": 2, "positions": 4, "sightings": 5}
    assert read("zones") == {"zones": [listed], "next": None}
    assert read(f"zones/{zone}") == listed | {"floors": [0, 1]}


def test_zones_known_from_loot_alone_are_listed_and_unused_names_are_not() -> None:
    make.zone("Nur ein Wort")
    zone = make.zone("Angelteich")
    make.loot(make.source("fishing", zone=zone), zone, 3)
    assert read("zones")["zones"] == [{"id": zone, "name": "Angelteich", "mobs": 0, "positions": 0, "sightings": 0}]
    assert read(f"zones/{zone}")["floors"] == []


def test_zones_are_paged_in_the_order_of_the_language() -> None:
    names = ["Zephyr", "Ödland", "Oase", "östlich", "ähnlich", "Azur", "Straße", "Strassburg"]
    for number, name in enumerate(names, start=1):
        make.habitat(number, make.zone(name), {(1, 1): [1]})
    seen, path = [], "zones?limit=3"
    while True:
        page = read(path)
        seen += [zone["name"] for zone in page["zones"]]
        if page["next"] is None:
            break
        assert len(page["zones"]) == 3
        path = f"zones?limit=3&cursor={page['next']}"
    assert seen == ["ähnlich", "Azur", "Oase", "Ödland", "östlich", "Strassburg", "Straße", "Zephyr"]


def test_a_page_that_ends_with_the_list_has_no_next() -> None:
    for name in ("A", "B"):
        make.habitat(1, make.zone(name), {(1, 1): [1]})
    assert read("zones?limit=2")["next"] is None


def test_creatures_of_a_zone_have_the_counts_of_the_zone() -> None:
    zone, elsewhere = make.zone("Hier"), make.zone("Anderswo")
    make.creature(1, "Lastkodo", level_min=30, level_max=31, reactions=(1, 0, 4, 9, 2, 0))
    make.habitat(1, zone, {(1, 1): [1], (2, 2): [1, 2]}, unplaced=1)
    make.habitat(1, zone, {(3, 3): [1]}, floor=2)
    make.habitat(1, elsewhere, {(4, 4): [1]})
    mob = {
        "id": 1, "name": "Lastkodo", "min": 30, "max": 31, "boss": False, "react": {"alliance": 2, "horde": 0},
        "positions": 3, "sightings": 4, "unplaced": 1,
    }  # fmt: skip
    assert read(f"zones/{zone}/mobs") == {"mobs": [mob], "next": None}
    on_floor = mob | {"positions": 1, "sightings": 1, "unplaced": 0}
    assert read(f"zones/{zone}/mobs?floor=2")["mobs"] == [on_floor]
    assert read(f"zones/{zone}/mobs?floor=7")["mobs"] == []


def test_a_boss_seen_without_a_position_is_in_its_zone() -> None:
    zone = make.zone("Höhle")
    make.habitat(make.creature(1, "Onyxia", level_min=None, level_max=None, boss=True), zone, {}, unplaced=3)
    (mob,) = read(f"zones/{zone}/mobs")["mobs"]
    assert (mob["min"], mob["max"], mob["boss"], mob["react"]) == (None, None, True, {"alliance": None, "horde": None})
    assert (mob["positions"], mob["sightings"], mob["unplaced"]) == (0, 0, 3)
    assert read(f"zones/{zone}")["mobs"] == 1


def test_creatures_of_equal_names_are_paged_by_id() -> None:
    zone = make.zone("Wald")
    for number in (3, 1, 2):
        make.habitat(make.creature(number, "Wolf"), zone, {(1, 1): [1]})
    first = read(f"zones/{zone}/mobs?limit=2")
    second = read(f"zones/{zone}/mobs?limit=2&cursor={first['next']}")
    assert [mob["id"] for mob in first["mobs"] + second["mobs"]] == [1, 2, 3]


def test_a_named_creature_adds_to_the_creature_it_is_shown_as_and_coordinates_count_once() -> None:
    zone = make.zone("Wald")
    make.habitat(make.creature(1, "Wolf", level_min=5, level_max=6, reactions=(1, 0, 0, 0, 0, 0)), zone, {(1, 1): [1]})
    named = make.named_creature("Wolf", shown_as=1)
    make.creature(named, level_min=3, level_max=9, boss=True, reactions=(0, 2, 0, 0, 0, 0))
    make.habitat(named, zone, {(1, 1): [1, 2], (2, 2): [2]}, unplaced=5)
    (mob,) = read(f"zones/{zone}/mobs")["mobs"]
    assert (mob["id"], mob["positions"], mob["sightings"], mob["unplaced"]) == (1, 2, 4, 5)
    assert (mob["min"], mob["max"], mob["boss"], mob["react"]["alliance"]) == (3, 9, True, 1)
    found = read(f"zones/{zone}")
    assert (found["mobs"], found["positions"], found["sightings"]) == (1, 2, 4)


def test_a_named_creature_without_an_id_is_a_creature_of_its_own() -> None:
    zone = make.zone("Wald")
    named = make.creature(make.named_creature("Bär"))
    make.habitat(named, zone, {(1, 1): [1]})
    make.habitat(make.creature(1, "Wolf"), zone, {(1, 1): [1]})
    assert [(mob["id"], mob["name"]) for mob in read(f"zones/{zone}/mobs")["mobs"]] == [(named, "Bär"), (1, "Wolf")]


def test_the_map_has_every_creature_with_its_spawn_points() -> None:
    zone = make.zone("Wald")
    for number, name in ((1, "Wolf"), (2, "Bär")):
        make.habitat(make.creature(number, name), zone, {(1, 1): [1]})
    make.spawn(1, zone, 21.637, 33, floor=0, radius=0.418, sightings=12, uploaders=3, confirmed=True)
    make.spawn(1, zone, 50, 60.5, floor=1, radius=0, sightings=2, uploaders=1)
    make.habitat(1, zone, {(50, 60): [1]}, floor=1, last_seen=make.DAY + 7)
    answer = read(f"zones/{zone}/map")
    assert answer["fields"] == ["floor", "x", "y", "radius", "sightings", "uploaders", "confirmed", "last_seen"]
    assert answer["zone"] == read(f"zones/{zone}")
    assert [(mob["name"], mob["spawns"]) for mob in answer["mobs"]] == [
        ("Bär", []),
        ("Wolf", [0, 21.64, 33, 0.42, 12, 3, 1, make.DAY, 1, 50, 60.5, 0, 2, 1, 0, make.DAY + 7]),
    ]


def test_the_map_has_patrols_with_their_areas() -> None:
    zone = make.zone("Wald")
    make.habitat(make.creature(1, "Wolf"), zone, {(1, 1): [1]})
    make.spawn(1, zone, 50, 50, sightings=9)
    make.spawn(1, zone, 20, 30, sightings=3)
    ring = ((20, 30), (25.126, 30), (25, 35), (20, 30))
    Spawn.objects.using(make.DE).filter(sightings=3).update(area=Polygon(ring))
    (mob,) = read(f"zones/{zone}/map")["mobs"]
    assert mob["patrols"] == [{"spawn": 1, "ring": [[20, 30], [25.13, 30], [25, 35], [20, 30]]}]


def test_the_area_of_a_patrol_keeps_its_hole() -> None:
    zone = make.zone("Wald")
    make.habitat(make.creature(1, "Wolf"), zone, {(1, 1): [1]})
    outer, hole = ((10, 10), (40, 10), (40, 40), (10, 10)), ((20, 15), (35, 15), (35, 30), (20, 15))
    make.spawn(1, zone, 10, 10, area=Polygon(outer, hole))
    (mob,) = read(f"zones/{zone}/map")["mobs"]
    (patrol,) = mob["patrols"]
    assert (patrol["ring"], patrol["holes"]) == ([list(at) for at in outer], [[list(at) for at in hole]])
