"""Where to look next: thin and stale zones and creatures."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.core.cache import cache
from django.test import Client

from maps import queries
from tests.conftest import ALL_DATABASES
from tests.maps import factories

pytestmark = ALL_DATABASES

TODAY = date(2024, 10, 4)
DAY = factories.DAY
OLD = DAY - queries.STALE_DAYS - 1


@pytest.fixture(autouse=True)
def fresh(settings) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    cache.clear()


@pytest.fixture
def zones() -> dict[str, int]:
    """A zone where all is well, one with a creature seen by one player, and one nobody has visited for long."""
    ids = {name: factories.zone(name) for name in ("Gut", "Dünn", "Alt")}
    for number, (zone, confirmed, last_seen) in enumerate(
        [("Gut", True, DAY), ("Dünn", False, DAY), ("Dünn", True, DAY), ("Alt", True, OLD)], start=1
    ):
        factories.creature(number, f"Wolf {number}")
        factories.habitat(number, ids[zone], {(20, 20): [1, 2]}, last_seen=last_seen)
        factories.spawn(number, ids[zone], 20, 20, confirmed=confirmed)
    return ids


def test_zones_come_by_the_share_of_creatures_that_need_a_look(zones) -> None:
    found = queries.worth_a_look(factories.DE, TODAY)
    assert [(one["name"], one["mobs"], one["unsure"], one["stale"]) for one in found["zones"]] == [
        ("Alt", 1, 0, 1),
        ("Dünn", 2, 1, 0),
    ]
    assert found["zones"][0]["last_seen"] == TODAY - timedelta(days=queries.STALE_DAYS + 1)


def test_creatures_say_what_is_missing(zones) -> None:
    found = queries.worth_a_look(factories.DE, TODAY)
    assert {(one["name"], one["zone_name"], one["unsure"], one["stale"]) for one in found["mobs"]} == {
        ("Wolf 2", "Dünn", True, False),
        ("Wolf 4", "Alt", False, True),
    }


def test_one_zone_shows_its_own_creatures_alone(zones) -> None:
    found = queries.worth_a_look(factories.DE, TODAY, zones["Dünn"])
    assert found["zones"] == []
    assert [one["name"] for one in found["mobs"]] == ["Wolf 2"]


def test_a_creature_seen_on_the_last_day_that_counts_is_not_stale() -> None:
    zone = factories.zone("Wald")
    factories.habitat(factories.creature(1, "Wolf"), zone, {(1, 1): [1]}, last_seen=DAY - queries.STALE_DAYS)
    factories.spawn(1, zone, 1, 1, confirmed=True)
    assert queries.worth_a_look(factories.DE, TODAY) == {"zones": [], "mobs": []}


def test_the_page_lists_them_and_leads_there(zones) -> None:
    html = Client().get("/deDE/look").content.decode()
    assert f'href="/deDE/zones/{zones["Dünn"]}#show=2"' in html
    assert f'href="/deDE/look?zone={zones["Alt"]}"' in html
    assert "a second player" in html
    alone = Client().get(f"/deDE/look?zone={zones['Dünn']}").content.decode()
    assert "Wolf 2" in alone and "Wolf 4" not in alone


def test_a_page_with_nothing_to_show_invites_notes(zones) -> None:
    today = (datetime.now(UTC).date() - date(1970, 1, 1)).days
    zone = factories.zone("Frisch")
    factories.habitat(factories.creature(9, "Wolf 9"), zone, {(1, 1): [1]}, last_seen=today)
    factories.spawn(9, zone, 1, 1, confirmed=True)
    assert 'class="empty"' in Client().get(f"/deDE/look?zone={zone}").content.decode()


@pytest.mark.parametrize("zone", ["999999", "x", "%00", "99999999999999", "-1"])
def test_zones_that_nobody_knows_are_not_found(zone) -> None:
    assert Client().get(f"/deDE/look?zone={zone}").status_code == 404
