"""Pages on paper: the map as wide as the page in light colours, lists and tables, nothing to press or to type in."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import world
from tests.browser.test_maps import creature, open_zone, painted

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases="__all__"),
    pytest.mark.parametrize(
        "context_options",
        [{"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark", "locale": "en-GB"}],
        ids=["dark"],
    ),
]

#: How many pixels of the printed map are strongly coloured, and how light all are on average (0 to 1) on white paper.
INK = """() => {
    const canvas = document.querySelector(".printed canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0, light = 0;
    for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue, opacity] = data.subarray(at, at + 4);
        const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)];
        if (opacity === 255 && most - least > 100) coloured += 1;
        light += ((least + most) / 2 * opacity / 255 + 255 - opacity) / 255;
    }
    return { coloured, light: light / (data.length / 4) };
}"""


CONTROLS = ", ".join(f"{one}:visible" for one in ("input", "button", "select", "summary", "header", "footer"))


@pytest.fixture
def zone() -> int:
    return world.fill()


def put_on_paper(page: Page) -> None:
    page.emulate_media(media="print")
    # The browser tells the page of it before it draws the next frame.
    painted(page)


def test_a_zone_is_printed_with_its_map_in_light_colours_and_without_controls(page: Page, zone: int):
    open_zone(page, zone, "#gathering=herb&layers=spawns")
    expect(page.locator("#map")).to_have_attribute("data-gathering", "1")
    creature(page, world.WORG).uncheck()
    put_on_paper(page)
    ink = page.evaluate(INK)
    assert ink["coloured"] > 300
    assert ink["light"] > 0.9
    sheet = page.locator(".printed canvas").bounding_box()
    assert sheet["width"] > 0.9 * page.viewport_size["width"] or sheet["height"] > 0.8 * page.viewport_size["height"]
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".printed figcaption")).to_have_text("Outdoors · 2 spawn points shown")
    expect(page.locator("#mobs li:visible bdi")).to_have_text([re.compile("script"), "Dying Kodo"])
    expect(page.locator(".filters label:visible")).to_have_text([re.compile("Herbs")])
    expect(page.locator(CONTROLS)).to_have_count(0)
    expect(page.locator("#printed-address")).to_have_text(re.compile(rf"/enUS/zones/{zone}#.*hide={world.WORG}"))


def test_after_printing_the_screen_is_as_it_was(page: Page, zone: int):
    open_zone(page, zone)
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(paper)
    put_on_paper(page)
    expect(page.locator(".printed canvas")).to_be_visible()
    page.emulate_media(media="null")
    expect(page.locator(".printed")).to_have_count(0)
    expect(page.locator("#map")).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.theme") is None
    assert page.evaluate(paper) == before


@pytest.mark.parametrize("path", ["/enUS/zones/{zone}", "/enUS/zones/{zone}/embed", f"/enUS/mobs/{world.KODO}"])
def test_the_printer_gets_the_map_in_light_colours_and_the_screen_does_not_keep_it(page: Page, zone: int, path: str):
    page.goto(path.format(zone=zone))
    expect(page.locator("#map")).to_have_attribute("data-state", "drawn")
    # After the page's own listener, which draws the map.
    page.evaluate(f"addEventListener('beforeprint', () => (window.ink = ({INK})()))")
    page.pdf(format="A4")
    ink = page.evaluate("ink")
    assert ink["coloured"] > 300
    assert ink["light"] > 0.9
    expect(page.locator(".printed")).to_have_count(0)


def test_a_creature_and_an_item_are_printed_as_tables(page: Page, zone: int):
    page.goto(f"/enUS/mobs/{world.KODO}")
    expect(page.locator("#map")).to_have_attribute("data-state", "drawn")
    put_on_paper(page)
    assert page.evaluate(INK)["coloured"] > 100
    expect(page.locator(".printed figcaption")).to_contain_text("Thousand Needles")
    expect(page.get_by_role("row", name=re.compile("Kodo Mantle"))).to_be_visible()
    expect(page.locator("form:visible")).to_have_count(0)
    page.goto(f"/enUS/items/{world.MANTLE}")
    expect(page.get_by_role("row", name=re.compile("Dying Kodo"))).to_be_visible()
    expect(page.locator(CONTROLS)).to_have_count(0)
    expect(page.locator("#printed-address")).to_have_text(re.compile(f"/enUS/items/{world.MANTLE}$"))
