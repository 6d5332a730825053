"""A zone full of creatures: its weight on the wire, and that all its dots are drawn. `bench/run map` tells how fast."""

from __future__ import annotations

import random

import pytest
from django.db import connections
from playwright.sync_api import Page, expect

from bench.map import FIRST_DOTS
from tests.browser.test_maps import inked, painted
from tests.maps import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases="__all__")]

CREATURES = 400
SPAWNS = """
    WITH seed AS (SELECT setseed(0.4))
    INSERT INTO spawn (mob, zone, floor, point, radius, sightings, uploaders, confirmed)
    SELECT 1 + n %% %(creatures)s, %(zone)s, 0, st_makepoint(random() * 100, random() * 100), 0.5, 3, 2, n %% 3 > 0
    FROM seed, generate_series(1, %(spawns)s) AS n
"""


def crowd(positions: int, spawns: int) -> int:
    """Fill a zone with 400 creatures and return it."""
    chance = random.Random(4)
    zone = factories.zone("Crowded", db=factories.EN)
    for id in range(1, CREATURES + 1):
        factories.creature(id, f"Creature number {id}", level_min=id % 80, level_max=id % 80 + 2, db=factories.EN)
        places: dict[tuple[float, float], list[int]] = {}
        while len(places) < positions // CREATURES:
            places[chance.randrange(1001) / 10, chance.randrange(1001) / 10] = [chance.randrange(1, 99)]
        factories.habitat(id, zone, places, db=factories.EN)
    with connections[factories.EN].cursor() as cursor:
        # One statement: as objects, 50,000 spawn points take longer to make than to look at.
        cursor.execute(SPAWNS, {"zone": zone, "creatures": CREATURES, "spawns": spawns})
    return zone


def test_a_zone_of_400_creatures_and_20000_coordinates_weighs_less_than_200_kilobytes(page: Page):
    zone = crowd(20_000, 4_000)
    page.goto(f"/enUS/zones/{zone}")
    expect(page.locator("#map")).to_have_attribute("data-points", "4000")
    assert page.evaluate(FIRST_DOTS) > 0
    resources = "performance.getEntriesByType('resource')"
    size = page.evaluate(f"{resources}.find((one) => one.name.endsWith('/zones/{zone}/map')).encodedBodySize")
    assert 10_000 < size < 200_000
    # The list scrolls inside: the page itself is no longer than the window.
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_50000_dots_are_drawn_and_stay_when_the_map_is_moved(page: Page):
    zone = crowd(400, 50_000)
    page.goto(f"/enUS/zones/{zone}")
    shown = page.locator("#map[data-state=drawn][data-points='50000']")
    shown.wait_for()
    painted(page)
    before = inked(page)
    assert before > 50_000
    x, y = page.viewport_size["width"] / 2, page.viewport_size["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=5)
    page.mouse.up()
    shown.wait_for()
    painted(page)
    assert inked(page) > before / 2
