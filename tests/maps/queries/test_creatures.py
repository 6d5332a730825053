"""Creatures as the API answers them: habitats, loot, coordinates, spawn points."""

from __future__ import annotations

from datetime import date

from django.contrib.gis.geos import Polygon

from tests.conftest import ALL_DATABASES
from tests.maps import factories as make
from tests.maps.api.contract import ask, read

pytestmark = ALL_DATABASES


def test_a_creature_has_its_habitats_and_loot() -> None:
    here, there = make.zone("Hier"), make.zone("Dort")
    make.creature(10636, "Lastkodo", level_min=30, level_max=31, last_seen=date(2024, 10, 6))
    make.habitat(10636, there, {(1, 1): [1]})
    make.habitat(10636, here, {(1, 1): [1, 2], (2, 2): [1]}, unplaced=2)
    make.habitat(10636, here, {(1, 1): [1]}, floor=1)
    make.item(3651, "Ring")
    make.loot(make.source("kill", 10636), here, 4, {3651: 1, 20093: 2}, money_lootings=2, copper=235)
    assert read("mobs/10636") == {
        "id": 10636,
        "name": "Lastkodo",
        "min": 30,
        "max": 31,
        "boss": False,
        "react": {"alliance": None, "horde": None},
        "first_seen": "2024-10-04",
        "last_seen": "2024-10-06",
        "zones": [
            {"id": here, "name": "Hier", "floor": 0, "positions": 2, "sightings": 3, "unplaced": 2},
            {"id": there, "name": "Dort", "floor": 0, "positions": 1, "sightings": 1, "unplaced": 0},
            {"id": here, "name": "Hier", "floor": 1, "positions": 1, "sightings": 1, "unplaced": 0},
        ],
        "lootings": 4,
        "loot": [
            {
                "item": 20093,
                "name": "Gegenstand 20093",
                "drops": 2,
                "rate": 0.5,
                "low": 0.15,
                "high": 0.85,
                "corrected": None,
            },
            {"item": 3651, "name": "Ring", "drops": 1, "rate": 0.25, "low": 0.0456, "high": 0.6994, "corrected": None},
        ],
        "empty": None,
        "money": {"lootings": 2, "mean_copper": 117.5},
        "difficulties": [],
        "other_loot": [],
    }


def test_the_most_frequent_name_is_shown_and_the_smaller_of_equals() -> None:
    make.creature(1, "Wolf", "Grauwolf", "Grauwolf")
    make.creature(2, "Wolf", "Ärger", "Bär")
    assert read("mobs/1")["name"] == "Grauwolf"
    assert read("mobs/2")["name"] == "Bär"


def test_a_creature_known_from_loot_alone_has_a_placeholder_for_its_name() -> None:
    make.loot(make.source("kill", 4119), make.zone("Wald"), 1)
    make.loot(make.source("kill", 4119, db=make.EN), make.zone("Wood", db=make.EN), 1, db=make.EN)
    found = read("mobs/4119")
    assert (found["name"], found["zones"], found["first_seen"], found["lootings"]) == ("Kreatur 4119", [], None, 1)
    assert ask("enUS/mobs/4119").json()["name"] == "Creature 4119"


def test_unused_names_are_no_creatures() -> None:
    make.source("kill", 4119)
    named = make.named_creature("Nur ein Wort")
    assert ask("deDE/mobs/4119").status_code == ask(f"deDE/mobs/{named}").status_code == 404


def test_without_money_there_is_no_mean() -> None:
    make.loot(make.source("kill", make.creature(1, "Wolf")), make.zone("Wald"), 5)
    assert read("mobs/1")["money"] == {"lootings": 0, "mean_copper": None}


def test_difficulties_are_summed_unless_one_is_asked_for() -> None:
    zone = make.zone("Burg")
    own = make.source("kill", make.creature(1, "Boss"))
    make.loot(own, zone, 10, {7: 1})
    make.loot(own, zone, 5, {7: 5}, difficulty="HEROIC")
    make.loot(own, zone, 1, {8: 1}, floor=3, difficulty="RAID1N")

    def counts(query: str) -> tuple[int, dict[int, int], list[str]]:
        found = read(f"mobs/1{query}")
        return found["lootings"], {drop["item"]: drop["drops"] for drop in found["loot"]}, found["difficulties"]

    known = ["HEROIC", "RAID1N"]
    assert counts("") == (16, {7: 6, 8: 1}, known)
    assert counts("?difficulty=HEROIC") == (5, {7: 5}, known)
    assert counts("?difficulty=none") == (10, {7: 1}, known)
    assert counts("?difficulty=RAID2H") == (0, {}, known)


def test_other_kinds_of_loot_are_separate() -> None:
    zone = make.zone("Wald")
    make.creature(1, "Wolf")
    make.loot(make.source("kill", 1), zone, 10, {7: 1})
    skinning = make.source("skinning", 1)
    make.loot(skinning, zone, 4, {8: 3}, floor=0)
    make.source("pickpocketing", 1)
    found = read("mobs/1")
    assert [drop["item"] for drop in found["loot"]] == [7]
    (other,) = found["other_loot"]
    assert (other["kind"], other["source"], other["lootings"]) == ("skinning", skinning, 4)
    assert [(drop["item"], drop["rate"]) for drop in other["loot"]] == [(8, 0.75)]


def test_a_named_creature_redirects_to_the_creature_it_is_shown_as_and_adds_its_loot() -> None:
    zone = make.zone("Wald")
    make.creature(1, "Wolf", first_seen=date(2024, 5, 5))
    named = make.named_creature("Wolf", shown_as=1)
    make.creature(named, first_seen=date(2024, 2, 2), last_seen=date(2024, 12, 12))
    make.loot(make.source("kill", 1), zone, 10, {7: 1}, money_lootings=1, copper=5)
    make.loot(make.source("kill", named), zone, 30, {7: 3, 8: 1}, money_lootings=3, copper=35)
    make.loot(make.source("skinning", named), zone, 2, {9: 2})
    make.habitat(named, zone, {(1, 1): [1]})
    found = read("mobs/1")
    assert (found["lootings"], found["money"]) == (40, {"lootings": 4, "mean_copper": 10.0})
    assert {drop["item"]: (drop["drops"], drop["rate"]) for drop in found["loot"]} == {7: (4, 0.1), 8: (1, 0.025)}
    assert [other["kind"] for other in found["other_loot"]] == ["skinning"]
    assert (found["first_seen"], found["last_seen"]) == ("2024-02-02", "2024-12-12")
    assert [habitat["positions"] for habitat in found["zones"]] == [1]
    for suffix in ("?difficulty=none", f"/positions?zone={zone}&floor=0", f"/spawns?zone={zone}"):
        moved = ask(f"deDE/mobs/{named}{suffix}")
        assert (moved.status_code, moved["Location"]) == (308, f"/api/v1/deDE/mobs/1{suffix}")


def test_a_creature_known_by_name_alone_has_an_id_of_the_servers_own() -> None:
    named = make.creature(make.named_creature("Bär"))
    make.habitat(named, make.zone("Wald"), {(1, 1): [1]})
    assert named >= 2**31
    assert read(f"mobs/{named}")["name"] == "Bär"


def point(x: float, y: float, **properties: object) -> dict[str, object]:
    return {"type": "Feature", "geometry": {"type": "Point", "coordinates": [x, y]}, "properties": properties}


def test_positions_are_the_merged_coordinates_with_uploaders_and_days() -> None:
    zone = make.zone("Wald")
    make.creature(1, "Wolf")
    make.habitat(1, zone, {(46.1, 40.7): [1], (21.6, 33): [1, 1, 2]}, last_seen=make.DAY + 1)
    make.habitat(1, zone, {(0, 100): [5]}, floor=1)
    days = {"first_seen": "2024-10-04", "last_seen": "2024-10-05"}
    outdoors = [
        point(21.6, 33, zone=zone, floor=0, sightings=3, uploaders=2, **days),
        point(46.1, 40.7, zone=zone, floor=0, sightings=1, uploaders=1, **days),
    ]
    above = [
        point(0, 100, zone=zone, floor=1, sightings=1, uploaders=1, first_seen="2024-10-04", last_seen="2024-10-04")
    ]
    path = f"mobs/1/positions?zone={zone}"
    assert read(path) == {"type": "FeatureCollection", "features": outdoors + above}
    assert read(f"{path}&floor=1")["features"] == above
    assert read(f"{path}&floor=2")["features"] == []


def test_positions_of_both_ids_of_a_creature_are_united() -> None:
    zone = make.zone("Wald")
    make.creature(1, "Wolf")
    named = make.creature(make.named_creature("Wolf", shown_as=1))
    make.habitat(1, zone, {(1, 1): [1, 2], (3, 3): [1]}, first_seen=make.DAY, last_seen=make.DAY)
    make.habitat(named, zone, {(1, 1): [2, 3, 3], (2, 2): [4]}, first_seen=make.DAY - 1, last_seen=make.DAY + 1)
    make.habitat(named, zone, {(9, 9): [4]}, floor=1)
    found = read(f"mobs/1/positions?zone={zone}")["features"]
    assert [
        (
            *each["geometry"]["coordinates"],
            each["properties"]["floor"],
            each["properties"]["sightings"],
            each["properties"]["uploaders"],
        )
        for each in found
    ] == [(1, 1, 0, 5, 3), (2, 2, 0, 1, 1), (3, 3, 0, 1, 1), (9, 9, 1, 1, 1)]
    united = found[0]["properties"]
    assert (united["first_seen"], united["last_seen"]) == ("2024-10-03", "2024-10-05")
    (outdoors, above) = read("mobs/1")["zones"]
    assert (outdoors["positions"], outdoors["sightings"], above["positions"]) == (3, 7, 1)


def test_a_creature_has_no_positions_in_a_zone_where_it_was_not_seen() -> None:
    make.creature(1, "Wolf")
    zone = make.zone("Wald")
    make.habitat(2, zone, {(1, 1): [1]})
    assert read(f"mobs/1/positions?zone={zone}") == {"type": "FeatureCollection", "features": []}


def test_spawn_points_have_radius_uploaders_and_confirmation() -> None:
    zone = make.zone("Wald")
    make.habitat(make.creature(1, "Wolf"), zone, {(1, 1): [1]})
    make.spawn(1, zone, 10, 20.5, floor=1, radius=0.333, sightings=2, uploaders=1)
    make.spawn(1, zone, 21.637, 33, radius=1.5, sightings=12, uploaders=3, confirmed=True)
    upstairs = point(10, 20.5, floor=1, sightings=2, uploaders=1, radius=0.33, confirmed=False)
    outdoors = point(21.64, 33, floor=0, sightings=12, uploaders=3, radius=1.5, confirmed=True)
    assert read(f"mobs/1/spawns?zone={zone}")["features"] == [outdoors, upstairs]
    assert read(f"mobs/1/spawns?zone={zone}&floor=1")["features"] == [upstairs]


def test_a_patrol_has_an_area() -> None:
    zone = make.zone("Wald")
    make.habitat(make.creature(1, "Wolf"), zone, {(1, 1): [1]})
    make.spawn(1, zone, 10, 20, radius=3, area=Polygon(((10, 20), (13.004, 20), (10, 23), (10, 20))))
    (patrol,) = read(f"mobs/1/spawns?zone={zone}")["features"]
    assert patrol["geometry"] == {"type": "Point", "coordinates": [10, 20]}
    assert patrol["properties"]["area"] == {
        "type": "Polygon",
        "coordinates": [[[10, 20], [13, 20], [10, 23], [10, 20]]],
    }


def test_rates_are_corrected_for_the_lootings_that_are_never_recorded() -> None:
    make.creature(1, "Wolf")
    make.loot(make.source("kill", 1), make.zone("Wald"), 80, {5: 60}, money_lootings=60, copper=60)
    mob = read("mobs/1")
    assert mob["empty"] == 0.1111
    (entry,) = mob["loot"]
    assert entry["rate"] == 0.75 and entry["corrected"]["rate"] == 0.6667
