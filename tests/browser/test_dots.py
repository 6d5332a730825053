"""The size of dots: told apart however many share the map, found by a finger, seen when they are chosen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import world
from tests.browser.test_crowded import CREATURES, crowd
from tests.browser.test_maps import inked, open_zone, painted, points

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases="__all__")]

PHONE: dict[str, Any] = {
    "locale": "en-GB",
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
DESKTOP: dict[str, Any] = {"locale": "en-GB", "viewport": {"width": 1280, "height": 900}}
on_a_phone = pytest.mark.parametrize("context_options", [PHONE], ids=["phone"])

#: What `dot_sizes.js` gives evenly strewn spawn points, in pixels of the page, where a percent down takes so many.
RADIUS = """async ([count, pixels]) => {
    const { crowding, spawnRadius } = await import("/static/as-written/js/map/dot_sizes.js");
    // The golden ratio strews places evenly.
    const places = Array.from({ length: count }, (_, at) => ({ x: (at * 61.803398875) % 100, y: (100 * at) / count }));
    return spawnRadius({ across: 1.5 * pixels, down: pixels, ratio: 1 }, crowding(places));
}"""
PHONE_PIXELS, DESKTOP_PIXELS = 2.3, 5.7

#: The shares of the painted canvas that are opaque, as dots are, and that let something through, as the density does.
TINTS = """() => {
    const canvas = document.querySelector(".leaflet-overlay-pane canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let [opaque, tinted] = [0, 0];
    for (let at = 3; at < data.length; at += 4) {
        if (data[at] > 250) opaque += 1;
        else if (data[at] > 20) tinted += 1;
    }
    return { opaque: opaque / (data.length / 4), tinted: tinted / (data.length / 4) };
}"""


#: How many pixels of the page a percent across takes, by the numbers of the map's ruler.
ACROSS = """() => {
    const ticks = [...document.querySelectorAll(".ruler.x span")];
    const [first, last] = [ticks[0], ticks.at(-1)];
    return (parseFloat(last.style.left) - parseFloat(first.style.left)) / (last.textContent - first.textContent);
}"""


def covered(page: Page) -> float:
    """Return the share of the zone that its dots cover, of a map that shows all of it."""
    across = page.evaluate(ACROSS) * page.evaluate("Math.min(devicePixelRatio, 2)")
    return inked(page) / (100 * across * 100 * across / 1.5)


@pytest.mark.parametrize("path", ["", "/embed"], ids=["page", "frame"])
@pytest.mark.parametrize("context_options", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_4000_dots_over_a_whole_zone_leave_half_of_it_free(page: Page, path: str, context_options):
    zone = crowd(400, 4_000)
    page.goto(f"/enUS/zones/{zone}{path}")
    points(page, 4_000)
    painted(page)
    assert 0.15 < covered(page) < 0.5


@on_a_phone
def test_dots_grow_when_others_are_switched_off(page: Page, context_options):
    zone = crowd(400, 4_000)
    open_zone(page, zone)
    painted(page)
    crowded = inked(page) / 4_000
    page.evaluate("document.querySelectorAll('#mobs input').forEach((box, at) => { box.checked = at < 10; })")
    page.locator("#mobs").dispatch_event("change")
    points(page, 10 * 4_000 // CREATURES)
    painted(page)
    assert inked(page) / 100 > 2 * crowded


@pytest.mark.parametrize("pixels", [PHONE_PIXELS, DESKTOP_PIXELS], ids=["phone", "desktop"])
def test_few_dots_keep_their_size_and_many_stay_visible(page: Page, pixels: float):
    page.goto("/about")
    usual = max(1 + 0.62 * pixels, 2.6)
    few, some, many, most = (page.evaluate(RADIUS, [count, pixels]) for count in (50, 400, 4_000, 50_000))
    assert few == some == pytest.approx(usual)
    assert usual > many > most >= 0.8
    assert page.evaluate(RADIUS, [50_000, 16 * pixels]) > 4


@on_a_phone
def test_the_density_stands_in_for_dots_without_number_until_they_are_nearer(page: Page, context_options):
    zone = crowd(400, 50_000)
    page.goto(f"/enUS/zones/{zone}")
    points(page, 50_000)
    said = page.get_by_text("Shown as density")
    expect(said).to_be_visible()
    painted(page)
    tints = page.evaluate(TINTS)
    assert tints["opaque"] < 0.01 < tints["tinted"]
    for _ in range(3):
        page.get_by_role("button", name="Zoom in").click()
        expect(page.locator(".leaflet-zoom-anim")).to_have_count(0)
    expect(said).to_be_hidden()
    painted(page)
    assert page.evaluate(TINTS)["opaque"] > 0.05
    page.get_by_label("Spawn points", exact=True).uncheck()
    page.get_by_role("button", name="Whole zone").click()
    expect(said).to_be_hidden()


@on_a_phone
@pytest.mark.parametrize(("beside_px", "is_hit"), [(15, True), (24, False)])
def test_a_finger_needs_to_come_no_nearer_to_a_small_dot(page: Page, beside_px: int, is_hit: bool, context_options):
    zone = world.fill()
    open_zone(page, zone, f"#at=50,50,1&show={world.WORG}")
    box = page.locator("#map").bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2 + beside_px, box["y"] + box["height"] / 2)
    expect(page.locator(".leaflet-popup-content")).to_have_count(int(is_hit))


#: What is painted over the dots from 4 to 10 pixels right of the map's centre: red and opacity of each pixel.
RING = """(canvas) => {
    const map = document.querySelector("#map").getBoundingClientRect();
    const box = canvas.getBoundingClientRect();
    const x = Math.round(map.left + map.width / 2 - box.left) + 4;
    const y = Math.round(map.top + map.height / 2 - box.top);
    const { data } = canvas.getContext("2d").getImageData(x, y, 7, 1);
    return Array.from({ length: 7 }, (_, at) => [data[4 * at], data[4 * at + 3]]);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_dot_whose_story_is_open_has_a_ring(page: Page, complaints: list[str], theme: str):
    page.emulate_media(color_scheme=theme)
    zone = world.fill()
    # Without what is behind it, only the ring is painted over the dots.
    page.route("**/places", lambda route: route.fulfill(status=503, json={"detail": "Later."}))
    open_zone(page, zone, f"#at=50,50,3&show={world.WORG}")
    box = page.locator("#map").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".leaflet-popup-content")).to_contain_text("Later.")
    page.mouse.move(5, 5)
    painted(page)
    over = page.locator(".leaflet-overlay-pane canvas").nth(1)
    reds = [red for red, opacity in over.evaluate(RING) if opacity == 255]
    # Ink and what it stands out from, whichever of them is dark.
    assert min(reds, default=255) < 60 and max(reds, default=0) > 200
    page.keyboard.press("Escape")
    painted(page)
    assert {opacity for _, opacity in over.evaluate(RING)} == {0}
    complaints.clear()
