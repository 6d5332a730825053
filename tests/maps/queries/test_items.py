"""Items and their sources as the API answers them."""

from __future__ import annotations

from tests.conftest import ALL_DATABASES
from tests.maps import factories as make
from tests.maps.api.contract import ask, read

pytestmark = ALL_DATABASES


def test_an_item_has_its_sources() -> None:
    zone = make.zone("Wald")
    make.item(3651, "Ring")
    make.creature(1, "Wolf")
    make.loot(make.source("kill", 1), zone, 10, {3651: 5})
    make.loot(make.source("kill", 4119), zone, 4, {3651: 1, 9: 4})
    chest = make.source("chest", object="Truhe")
    make.loot(chest, zone, 2, {3651: 1})
    assert read("items/3651") == {
        "id": 3651,
        "name": "Ring",
        "dropped_by": [
            {
                "mob": 1, "name": "Wolf", "drops": 5, "lootings": 10,
                "rate": 0.5, "low": 0.2366, "high": 0.7634, "corrected": None,
            },
            {
                "mob": 4119, "name": "Kreatur 4119", "drops": 1, "lootings": 4,
                "rate": 0.25, "low": 0.0456, "high": 0.6994, "corrected": None,
            },
        ],
        "other_sources": [
            {
                "source": chest, "kind": "chest", "name": "Truhe", "drops": 1, "lootings": 2,
                "rate": 0.5, "low": 0.0945, "high": 0.9055, "corrected": None,
            }
        ],
        "next": None,
    }  # fmt: skip


def test_an_item_without_a_name_has_a_placeholder_in_the_datas_language() -> None:
    make.loot(make.source("kill", 1), make.zone("Wald"), 1, {3651: 1})
    make.loot(make.source("kill", 1, db=make.EN), make.zone("Wood", db=make.EN), 1, {3651: 1}, db=make.EN)
    assert read("items/3651")["name"] == "Gegenstand 3651"
    assert ask("enUS/items/3651").json()["name"] == "Item 3651"


def test_a_named_item_without_drops_has_no_sources() -> None:
    make.item(5, "Ring")
    assert read("items/5") == {"id": 5, "name": "Ring", "dropped_by": [], "other_sources": [], "next": None}


def test_the_source_with_the_highest_lower_bound_is_first() -> None:
    zone = make.zone("Wald")
    for mob, (drops, lootings) in {1: (1, 1), 2: (90, 100), 3: (1, 1000), 4: (900, 1000)}.items():
        make.loot(make.source("kill", mob), zone, lootings, {7: drops})
    assert [each["mob"] for each in read("items/7")["dropped_by"]] == [4, 2, 1, 3]


def test_the_limit_of_a_page_is_for_both_lists_together() -> None:
    zone = make.zone("Wald")
    for number in range(1, 8):
        where = make.source("kill", number) if number % 2 else make.source("chest", object=str(number))
        make.loot(where, zone, 10, {7: 1 if number < 4 else 9})
    seen, path = [], "items/7?limit=3"
    while True:
        page = read(path)
        on_page = [each["name"] for each in page["dropped_by"] + page["other_sources"]]
        seen.append(sorted(on_page))
        if page["next"] is None:
            break
        path = f"items/7?limit=3&cursor={page['next']}"
    assert seen == [["4", "6", "Kreatur 5"], ["2", "Kreatur 1", "Kreatur 7"], ["Kreatur 3"]]


def test_both_names_of_a_creature_are_one_source_with_all_its_lootings() -> None:
    zone = make.zone("Wald")
    make.creature(1, "Wolf")
    named = make.named_creature("Wolf", shown_as=1)
    make.loot(make.source("kill", 1), zone, 10, {7: 1})
    make.loot(make.source("kill", named), zone, 30)
    make.loot(make.source("pickpocketing", named), zone, 8, {7: 2})
    by_id = make.source("pickpocketing", 1)
    found = read("items/7")
    assert [(each["mob"], each["drops"], each["lootings"]) for each in found["dropped_by"]] == [(1, 1, 40)]
    assert [(each["source"], each["drops"], each["lootings"]) for each in found["other_sources"]] == [(by_id, 2, 8)]


def test_the_rates_of_an_item_are_those_of_the_requested_difficulty() -> None:
    boss, zone = make.source("kill", 1), make.zone("Burg")
    make.loot(boss, zone, 10, {7: 1})
    make.loot(boss, zone, 5, {7: 5}, difficulty="HEROIC")

    def counts(query: str) -> list[tuple[int, int]]:
        return [(each["drops"], each["lootings"]) for each in read(f"items/7{query}")["dropped_by"]]

    assert counts("") == [(6, 15)]
    assert counts("?difficulty=HEROIC") == [(5, 5)]
    assert counts("?difficulty=none") == [(1, 10)]
    assert counts("?difficulty=RAID1N") == []


def test_a_creatures_rate_is_corrected_by_all_that_it_gives() -> None:
    zone = make.zone("Wald")
    make.loot(make.source("kill", 1), zone, 80, {3651: 60, 9: 60})
    make.loot(make.source("skinning", 1), zone, 80, {3651: 60, 9: 60})
    item = read("items/3651")
    (mob,), (other,) = item["dropped_by"], item["other_sources"]
    assert mob["rate"] == 0.75 and mob["corrected"]["rate"] == 0.6667
    assert mob["corrected"]["low"] < 0.6 and mob["corrected"]["high"] > 0.73
    assert other["corrected"] is None
