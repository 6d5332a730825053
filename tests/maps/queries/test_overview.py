from __future__ import annotations

from datetime import date

from maps import queries
from tests.conftest import ALL_DATABASES
from tests.maps import factories as make

pytestmark = ALL_DATABASES


def test_an_empty_locale_holds_nothing() -> None:
    assert queries.totals(make.DE) == {
        "uploads": 0, "zones": 0, "mobs": 0, "positions": 0, "sightings": 0, "lootings": 0, "items": 0
    }  # fmt: skip
    assert queries.newest_confirmed(make.DE) == []


def test_totals_count_shown_creatures_and_distinct_coordinates_once() -> None:
    zone = make.zone("Wald")
    make.habitat(make.creature(1, "Wolf"), zone, {(1, 1): [1]})
    make.habitat(make.creature(make.named_creature("Wolf", shown_as=1)), zone, {(1, 1): [2], (2, 2): [2]})
    make.loot(make.source("kill", 1), zone, 2, {7: 1, 8: 1})
    make.loot(make.source("kill", 4119), zone, 3, {7: 1})
    herb = make.source("herb", object="Silberblatt")
    make.loot(herb, make.zone("Teich"), 5)
    make.habitat(-herb, zone, {(5, 5): [1]})
    assert queries.totals(make.DE) == {
        "uploads": 0, "zones": 2, "mobs": 2, "positions": 2, "sightings": 3, "lootings": 10, "items": 2
    }  # fmt: skip


def test_the_newest_confirmed_creatures_are_those_first_seen_last() -> None:
    wood, hill = make.zone("Wald"), make.zone("Hügel")
    make.creature(1, "Alt", first_seen=date(2024, 1, 1))
    make.creature(2, "Neu", first_seen=date(2024, 3, 3), reactions=(1, 0, 0, 0, 0, 0))
    make.creature(3, "Unbestätigt", first_seen=date(2024, 4, 4))
    make.creature(4, "Schon lange", first_seen=date(2024, 5, 5))
    make.creature(make.named_creature("Schon lange", shown_as=4), first_seen=date(2024, 2, 2))
    for mob in (1, 2, 4):
        make.spawn(mob, wood, confirmed=True, sightings=5)
    make.spawn(2, hill, confirmed=True, sightings=9)
    make.spawn(3, wood)
    found = queries.newest_confirmed(make.DE, 3)
    assert [mob["name"] for mob in found] == ["Neu", "Schon lange", "Alt"]
    assert found[0] == {
        "id": 2, "name": "Neu", "min": 1, "max": 1, "boss": False, "react": {"alliance": 0, "horde": None},
        "first_seen": date(2024, 3, 3), "zone": hill, "zone_name": "Hügel",
    }  # fmt: skip
    assert len(queries.newest_confirmed(make.DE, 1)) == 1
