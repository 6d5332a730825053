"""How fast the map is: first dots, bytes on the wire, and frames while it is moved.

The bounds are those the map is made for, twice as wide, and the best of several tries counts: what runs beside a test
must not fail it, and no other work makes a slow map fast.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from django.contrib.gis.geos import Point
from playwright.sync_api import Page, expect

from maps.models import Spawn
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


def crowd(positions: int, spawns: int) -> int:
    """Fill a zone with 400 creatures and return it."""
    chance = random.Random(4)
    zone = factories.zone("Crowded", db=factories.EN)
    made = []
    for id in range(1, CREATURES + 1):
        factories.creature(id, f"Creature number {id}", level_min=id % 80, level_max=id % 80 + 2, db=factories.EN)
        places: dict[tuple[float, float], list[int]] = {}
        while len(places) < positions // CREATURES:
            places[chance.randrange(1001) / 10, chance.randrange(1001) / 10] = [chance.randrange(1, 99)]
        factories.presence(id, zone, places, db=factories.EN)
        for _ in range(spawns // CREATURES):
            at = Point(chance.uniform(0, 100), chance.uniform(0, 100))
            made.append(
                Spawn(mob=id, zone=zone, floor=0, point=at, radius=0.5, sightings=3, uploaders=2, confirmed=id % 3 > 0)
            )
    Spawn.objects.using(factories.EN).bulk_create(made, batch_size=5000)
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


@pytest.mark.parametrize("move", [drag, zoom])
def test_50000_dots_move_at_15_frames_a_second_or_more(page: Page, move: Callable[[Page, float, float], None]):
    zone = crowd(400, 50_000)
    page.goto(f"/enUS/zones/{zone}")
    points(page, 50_000)
    expect(page.locator("#map")).to_have_attribute("data-state", "drawn")
    box = page.locator("#map").bounding_box()
    seen = []
    while len(seen) < TRIES and not (seen and seen[-1] > 15):
        page.evaluate(f"window.frames_seen = ({FRAMES})(); undefined")
        move(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        seen.append(page.evaluate("window.frames_seen"))
    assert max(seen) > 15
