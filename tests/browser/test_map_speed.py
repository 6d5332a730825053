"""How fast the map is: first dots, bytes on the wire, and frames while it is moved.

The bounds are those the map is made for, twice as wide, and the best of several tries counts: what runs beside a test
must not fail it, and no other work makes a slow map fast.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from django.db import connections
from playwright.sync_api import Page, expect

from tests.browser.test_maps import points
from tests.maps import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases="__all__")]

CREATURES = 400
TRIES = 5
FRAMES = """async (move) => {
    const times = [];
    let last = performance.now();
    while (times.length < 60) {
        times.push(await new Promise((done) => requestAnimationFrame((now) => {
            const passed = now - last;
            last = now;
            done(passed);
        })));
    }
    return 1000 * times.length / times.reduce((sum, time) => sum + time);
}"""


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
        factories.presence(id, zone, places, db=factories.EN)
    with connections[factories.EN].cursor() as cursor:
        # One statement: as objects, 50,000 spawn points take longer to make than to look at.
        cursor.execute(SPAWNS, {"zone": zone, "creatures": CREATURES, "spawns": spawns})
    return zone


def test_a_zone_of_400_creatures_and_20000_coordinates_is_there_within_two_seconds(page: Page):
    zone = crowd(20_000, 4_000)
    drawn_ms = []
    while len(drawn_ms) < TRIES:  # the first visit warms the server and the browser's cache of scripts
        page.goto(f"/enUS/zones/{zone}")
        points(page, 4_000)
        drawn_ms.append(page.evaluate("performance.getEntriesByName('first dots')[0].startTime"))
        if drawn_ms[-1] < 2_000 and len(drawn_ms) > 1:
            break
    assert min(drawn_ms[1:]) < 2_000
    resources = "performance.getEntriesByType('resource')"
    size = page.evaluate(f"{resources}.find((one) => one.name.endsWith('/zones/{zone}/map')).encodedBodySize")
    assert 10_000 < size < 200_000
    # The list scrolls inside: the page itself is no longer than the window.
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def drag(page: Page, x: float, y: float) -> None:
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(100):
        page.mouse.move(x + step % 50 * 4, y + step % 30 * 4)
    page.mouse.up()


def zoom(page: Page, x: float, y: float) -> None:
    page.mouse.move(x, y)
    for step in range(6):
        page.mouse.wheel(0, -120 if step < 3 else 120)
        page.wait_for_timeout(250)


def frames(page: Page, move: Callable[[Page, float, float], None]) -> float:
    """Return the most frames a second that were seen while the map was moved so."""
    box = page.locator("#map").bounding_box()
    seen: list[float] = []
    while len(seen) < TRIES and not (seen and seen[-1] > 15):
        page.evaluate(f"window.frames_seen = ({FRAMES})(); undefined")
        move(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        seen.append(page.evaluate("window.frames_seen"))
    return max(seen)


def test_50000_dots_move_at_15_frames_a_second_or_more(page: Page):
    zone = crowd(400, 50_000)
    page.goto(f"/enUS/zones/{zone}")
    points(page, 50_000)
    expect(page.locator("#map")).to_have_attribute("data-state", "drawn")
    assert frames(page, drag) > 15
    assert frames(page, zoom) > 15
