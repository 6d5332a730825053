"""Sources other than kills as the API answers them."""

from __future__ import annotations

import pytest

from tests.conftest import ALL_DATABASES
from tests.maps import factories as make
from tests.maps.api.contract import ask, read

pytestmark = ALL_DATABASES


def test_sources_are_listed_by_name_with_their_target_and_counts() -> None:
    zone = make.zone("Wald")
    herb = make.source("herb", object="Silberblatt")
    make.loot(herb, zone, 3)
    make.habitat(-herb, zone, {(1, 1): [1, 2], (2, 2): [1]})
    make.item(7, "Kiste")
    opened, unnamed = make.source("item", item=7), make.source("disenchanting", item=8)
    fishing = make.source("fishing", zone=zone)
    make.creature(1, "Bär")
    skinning = make.source("skinning", 1)
    for source in (opened, unnamed, fishing, skinning):
        make.loot(source, zone, 1)
    make.loot(make.source("kill", 1), zone, 1)
    make.source("ore", object="Nur ein Wort")
    found = read("sources")
    assert found["next"] is None
    assert [(each["name"], each["kind"], each["mob"], each["item"], each["zone"]) for each in found["sources"]] == [
        ("Bär", "skinning", 1, None, None),
        ("Gegenstand 8", "disenchanting", None, 8, None),
        ("Kiste", "item", None, 7, None),
        ("Silberblatt", "herb", None, None, None),
        ("Wald", "fishing", None, None, zone),
    ]
    assert read("sources?kind=herb")["sources"] == [
        {
            "id": herb, "kind": "herb", "name": "Silberblatt", "mob": None, "item": None, "zone": None,
            "lootings": 3, "positions": 2, "sightings": 3,
        }
    ]  # fmt: skip
    assert read("sources?kind=ore")["sources"] == []


def test_sources_of_a_zone_are_counted_there() -> None:
    here, there, nowhere = make.zone("Hier"), make.zone("Dort"), make.zone("Nirgends")
    chest = make.source("chest", object="Truhe")
    make.loot(chest, here, 3)
    make.loot(chest, there, 5)
    make.habitat(-chest, here, {(1, 1): [1]})
    make.habitat(1, nowhere, {(1, 1): [1]})
    make.habitat(-make.source("herb", object="Nur gesehen"), there, {(1, 1): [1], (2, 2): [1]})

    def counts(query: str) -> list[tuple[str, int, int]]:
        return [(each["name"], each["lootings"], each["positions"]) for each in read(f"sources{query}")["sources"]]

    assert counts(f"?zone={here}") == [("Truhe", 3, 1)]
    assert counts(f"?zone={there}") == [("Nur gesehen", 0, 2), ("Truhe", 5, 0)]
    assert counts(f"?zone={there}&kind=chest") == [("Truhe", 5, 0)]
    assert counts(f"?zone={nowhere}") == []
    assert counts("") == [("Nur gesehen", 0, 2), ("Truhe", 8, 1)]


def test_sources_are_paged() -> None:
    zone = make.zone("Wald")
    for name in "edcba":
        make.loot(make.source("herb", object=name), zone, 1)
    first = read("sources?limit=3&kind=herb")
    second = read(f"sources?limit=3&kind=herb&cursor={first['next']}")
    assert "".join(each["name"] for each in first["sources"] + second["sources"]) == "abcde"
    assert second["next"] is None


def test_a_source_has_its_habitats_and_loot() -> None:
    here, there = make.zone("Hier"), make.zone("Dort")
    herb = make.source("herb", object="Silberblatt")
    make.loot(herb, here, 4, {765: 4, 2449: 1})
    make.habitat(-herb, here, {(1, 1): [1, 2], (2, 2): [1]}, unplaced=1)
    make.loot(herb, there, 6, {765: 5}, money_lootings=1, copper=3)
    make.item(765, "Silberblatt")
    assert read(f"sources/{herb}") == {
        "id": herb,
        "kind": "herb",
        "name": "Silberblatt",
        "mob": None,
        "item": None,
        "zone": None,
        "zones": [
            {"id": there, "name": "Dort", "floor": 0, "positions": 0, "sightings": 0, "unplaced": 0, "lootings": 6},
            {"id": here, "name": "Hier", "floor": 0, "positions": 2, "sightings": 3, "unplaced": 1, "lootings": 4},
        ],
        "lootings": 10,
        "loot": [
            {
                "item": 765,
                "name": "Silberblatt",
                "drops": 9,
                "rate": 0.9,
                "low": 0.5958,
                "high": 0.9821,
                "corrected": None,
            },
            {
                "item": 2449,
                "name": "Gegenstand 2449",
                "drops": 1,
                "rate": 0.1,
                "low": 0.0179,
                "high": 0.4042,
                "corrected": None,
            },
        ],
        "empty": None,
        "money": {"lootings": 1, "mean_copper": 3.0},
        "difficulties": [],
    }
    positions = read(f"sources/{herb}/positions?zone={here}")["features"]
    assert [each["geometry"]["coordinates"] for each in positions] == [[1, 1], [2, 2]]
    assert read(f"sources/{herb}/positions")["features"] == positions
    assert read(f"sources/{herb}/positions?zone={there}")["features"] == []
    assert read(f"sources/{herb}/positions?floor=1")["features"] == []


def test_one_kind_of_loot_of_a_creature_is_one_source_under_all_its_names() -> None:
    zone = make.zone("Wald")
    make.creature(1, "Wolf")
    named = make.named_creature("Wolf", shown_as=1)
    by_name, by_id = make.source("pickpocketing", named), make.source("pickpocketing", 1)
    make.loot(by_name, zone, 10, {7: 1})
    make.loot(by_id, zone, 30, {7: 3})
    make.habitat(-by_name, zone, {(1, 1): [1]})
    make.habitat(-by_id, zone, {(1, 1): [1], (2, 2): [2]})
    (listed,) = read("sources")["sources"]
    assert (listed["id"], listed["mob"], listed["lootings"], listed["positions"]) == (by_id, 1, 40, 2)
    found = read(f"sources/{by_id}")
    assert (found["lootings"], found["loot"][0]["drops"], found["zones"][0]["positions"]) == (40, 4, 2)
    moved = ask(f"deDE/sources/{by_name}/positions?floor=0")
    assert (moved.status_code, moved["Location"]) == (308, f"/api/v1/deDE/sources/{by_id}/positions?floor=0")
    assert ask(f"deDE/sources/{by_name}").status_code == 308
    found = [each["properties"] for each in read(f"sources/{by_id}/positions")["features"]]
    assert [(each["sightings"], each["uploaders"]) for each in found] == [
        (2, 1),
        (1, 1),
    ]
    assert read("mobs/1")["other_loot"][0]["source"] == by_id


def test_skinning_a_creature_known_by_name_is_found_with_it() -> None:
    zone = make.zone("Wald")
    named = make.named_creature("Bär")
    skinning = make.source("skinning", named)
    make.loot(skinning, zone, 2, {9: 1})
    assert read(f"sources/{skinning}")["mob"] == named
    found = read(f"mobs/{named}")
    assert (found["name"], found["lootings"], found["other_loot"][0]["lootings"]) == ("Bär", 0, 2)


def test_difficulties_of_a_source_are_summed_unless_one_is_asked_for() -> None:
    chest, zone = make.source("chest", object="Truhe"), make.zone("Burg")
    make.loot(chest, zone, 3)
    make.loot(chest, zone, 5, {7: 5}, difficulty="HEROIC")
    assert read(f"sources/{chest}")["lootings"] == 8
    assert read(f"sources/{chest}?difficulty=HEROIC")["lootings"] == 5


def test_the_sources_of_a_zone_have_all_their_coordinates() -> None:
    zone = make.zone("Wald")
    herb, fishing = make.source("herb", object="Silberblatt"), make.source("fishing", zone=zone)
    make.habitat(-herb, zone, {(21.6, 33): [1, 1, 2], (46.1, 40.7): [3]})
    make.habitat(-herb, zone, {(5, 5.5): [1]}, floor=1, last_seen=make.DAY + 7)
    make.loot(fishing, zone, 4)
    answer = read(f"zones/{zone}/sources")
    assert answer["zone"] == read(f"zones/{zone}")
    assert answer["fields"] == ["floor", "x", "y", "sightings", "uploaders", "first_seen", "last_seen"]
    day = make.DAY
    points = [[0, 21.6, 33, 3, 2, day, day], [0, 46.1, 40.7, 1, 1, day, day], [1, 5, 5.5, 1, 1, day, day + 7]]
    assert [(each["name"], each["lootings"], each["points"]) for each in answer["sources"]] == [
        ("Silberblatt", 0, [number for point in points for number in point]),
        ("Wald", 4, []),
    ]


@pytest.mark.parametrize("kind", ["herb", "ore", "chest", "engineering"])
def test_objects_of_one_name_are_sources_of_their_kind(kind: str) -> None:
    source = make.source(kind, object="Etwas")
    make.loot(source, make.zone("Wald"), 1)
    assert [each["id"] for each in read(f"sources?kind={kind}")["sources"]] == [source]
