"""Totals, coverage gaps, and the creatures confirmed last."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.core.cache import cache
from django.test import Client

from maps import queries
from tests.conftest import ALL_DATABASES
from tests.maps import factories as make

pytestmark = ALL_DATABASES

TODAY = date(2024, 10, 4)
DAY = make.DAY
OLD = DAY - queries.OUTDATED_DAYS - 1


def test_the_totals_of_an_empty_locale_are_zero() -> None:
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


@pytest.fixture(autouse=True)
def empty_cache(settings) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    cache.clear()


@pytest.fixture
def zones() -> dict[str, int]:
    """A zone without gaps, one with an unconfirmed creature, and one with an outdated creature."""
    ids = {name: make.zone(name) for name in ("Gut", "Dünn", "Alt")}
    for number, (zone, confirmed, last_seen) in enumerate(
        [("Gut", True, DAY), ("Dünn", False, DAY), ("Dünn", True, DAY), ("Alt", True, OLD)], start=1
    ):
        make.creature(number, f"Wolf {number}")
        make.habitat(number, ids[zone], {(20, 20): [1, 2]}, last_seen=last_seen)
        make.spawn(number, ids[zone], 20, 20, confirmed=confirmed)
    return ids


def test_zones_are_ordered_by_the_share_of_creatures_with_a_gap(zones) -> None:
    found = queries.coverage_gaps(make.DE, TODAY)
    assert [(one["name"], one["mobs"], one["unconfirmed"], one["outdated"]) for one in found["zones"]] == [
        ("Alt", 1, 0, 1),
        ("Dünn", 2, 1, 0),
    ]
    assert found["zones"][0]["last_seen"] == TODAY - timedelta(days=queries.OUTDATED_DAYS + 1)


def test_creatures_have_the_kind_of_gap(zones) -> None:
    found = queries.coverage_gaps(make.DE, TODAY)
    assert {(one["name"], one["zone_name"], one["unconfirmed"], one["outdated"]) for one in found["mobs"]} == {
        ("Wolf 2", "Dünn", True, False),
        ("Wolf 4", "Alt", False, True),
    }


def test_one_zone_has_only_its_own_creatures(zones) -> None:
    found = queries.coverage_gaps(make.DE, TODAY, zones["Dünn"])
    assert found["zones"] == []
    assert [one["name"] for one in found["mobs"]] == ["Wolf 2"]


def test_a_creature_seen_on_the_last_day_that_counts_is_not_outdated() -> None:
    zone = make.zone("Wald")
    make.habitat(make.creature(1, "Wolf"), zone, {(1, 1): [1]}, last_seen=DAY - queries.OUTDATED_DAYS)
    make.spawn(1, zone, 1, 1, confirmed=True)
    assert queries.coverage_gaps(make.DE, TODAY) == {"zones": [], "mobs": []}


def test_the_page_lists_the_gaps_with_links(zones) -> None:
    html = Client().get("/deDE/look").content.decode()
    assert f'href="/deDE/zones/{zones["Dünn"]}#show=2"' in html
    assert f'href="/deDE/look?zone={zones["Alt"]}"' in html
    assert "a second player" in html
    alone = Client().get(f"/deDE/look?zone={zones['Dünn']}").content.decode()
    assert "Wolf 2" in alone and "Wolf 4" not in alone


def test_a_page_without_gaps_invites_uploads(zones) -> None:
    today = (datetime.now(UTC).date() - date(1970, 1, 1)).days
    zone = make.zone("Frisch")
    make.habitat(make.creature(9, "Wolf 9"), zone, {(1, 1): [1]}, last_seen=today)
    make.spawn(9, zone, 1, 1, confirmed=True)
    assert 'class="empty"' in Client().get(f"/deDE/look?zone={zone}").content.decode()


@pytest.mark.parametrize("zone", ["999999", "x", "%00", "99999999999999", "-1"])
def test_unknown_zones_are_not_found(zone) -> None:
    assert Client().get(f"/deDE/look?zone={zone}").status_code == 404
