"""What holds on every page: no violation, no overflow, no serious accessibility finding, harmless names."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from maps.models import FIRST_NAMED_ID, Source
from tests.browser import world
from tests.browser.accessible import findings
from tests.maps.factories import EN

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases="__all__")]

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


def paths(zone: int) -> list[str]:
    return [
        "/",
        "/about",
        "/about/api",
        "/upload",
        "/enUS/zones",
        f"/enUS/zones/{zone}/embed",
        f"/enUS/zones/{zone}",
        f"/enUS/zones/{zone + 1}",
        f"/enUS/mobs/{world.KODO}",
        f"/enUS/mobs/{world.BOSS}",
        f"/enUS/mobs/{FIRST_NAMED_ID}",
        f"/enUS/items/{world.MANTLE}",
        "/enUS/items/117",
        "/enUS/sources",
        "/enUS/sources?kind=fishing",
        f"/enUS/sources/{Source.objects.using(EN).get(kind='herb').pk}",
        "/enUS/look",
        f"/enUS/look?zone={zone}",
        "/enUS/search?q=kodo",
        "/enUS/search?q=%3Cscript%3E",
        "/deDE/zones",
    ]


def visit(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("networkidle")


#: Adds up by how much what is seen moves without anybody having done anything (as the Layout Instability API counts).
WATCH_SHIFTS = """
window.shifts = {sum: 0, moved: []};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    shifts.sum += entry.value;
    for (const { node, previousRect: from, currentRect: to } of entry.sources) {
      const name = node?.id ? `#${node.id}` : `${node?.nodeName}.${node?.className}`;
      shifts.moved.push(`${name}: ${from.x},${from.y} ${from.width}×${from.height}`
        + ` to ${to.x},${to.y} ${to.width}×${to.height} (${entry.value.toFixed(3)})`);
    }
  }
}).observe({ type: "layout-shift", buffered: true });
"""
MOST_SHIFT = 0.05
#: A slow line brings scripts, styles and data one after the other, which is when pages move.
SLOW_LINE = {"offline": False, "latency": 60, "downloadThroughput": 400_000, "uploadThroughput": 400_000}


def shifts(page: Page) -> dict[str, Any]:
    """Return by how much the page has moved since it was opened, and what did: `{"sum": 0.1, "moved": ["#map: …"]}`."""
    return page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(shifts))))")


def slow_down(page: Page) -> None:
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    network.send("Network.emulateNetworkConditions", SLOW_LINE)


@pytest.mark.parametrize(
    "context_options",
    [
        {"viewport": DESKTOP, "color_scheme": "light", "locale": "en-GB"},
        {"viewport": PHONE, "color_scheme": "dark", "locale": "de-DE"},
    ],
    ids=["desktop, light, English", "phone, dark, German"],
)
def test_every_page_holds_still_fits_is_accessible_and_keeps_the_security_policy(page, context_options, complaints):
    zone = world.fill()
    page.add_init_script(WATCH_SHIFTS)
    slow_down(page)
    moving = {}
    for path in paths(zone):
        visit(page, path)
        moved = shifts(page)
        if moved["sum"] > MOST_SHIFT:
            moving[path] = moved
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} overflows"
        assert findings(page) == [], path
        assert complaints == [], path
        assert page.title() != "owned"
        assert page.locator("img[src=x]").count() == 0, path
    assert moving == {}


def test_a_page_that_moves_would_be_seen(page):
    page.add_init_script(WATCH_SHIFTS)
    visit(page, "/about")
    page.evaluate("document.body.prepend(Object.assign(document.createElement('div'), {style: 'height: 300px'}))")
    page.evaluate(f"""new Promise((done) => {{
        const look = () => shifts.sum > {MOST_SHIFT} ? done() : requestAnimationFrame(look);
        look();
    }})""")


@pytest.mark.parametrize("path", ["/", "/enUS/zones", "/enUS/sources", "/enUS/search?q=x"])
def test_empty_pages_are_accessible_too(page, path):
    visit(page, path)
    expect(page.locator(".empty").first).to_be_visible()
    assert findings(page) == []


def test_hostile_names_are_harmless_in_lists_popups_and_suggestions(page):
    zone = world.fill()
    visit(page, f"/enUS/zones/{zone}#at=75,75,4&floor=1&show={world.BOSS}")
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".leaflet-tooltip")).to_contain_text("<script>")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".leaflet-popup-content h3")).to_contain_text("<script>")
    page.locator("#search").fill("script")
    expect(page.get_by_role("option").first).to_contain_text("<script>")
    assert page.title() != "owned"


def test_suggestions_are_chosen_by_keyboard(page):
    world.fill()
    visit(page, "/about")
    page.keyboard.press("/")
    box = page.get_by_role("combobox")
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    page.keyboard.type("kodo")
    expect(page.get_by_role("option")).to_have_count(2)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    chosen = page.locator('[role="option"][aria-selected="true"]')
    expect(chosen).to_have_count(1)
    expect(box).to_have_attribute("aria-activedescendant", chosen.get_attribute("id"))
    name = chosen.locator("bdi").text_content()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_an_answer_that_comes_late_leaves_what_was_chosen(page):
    world.fill()
    held = []

    def hold(route):
        held.append(route)

    page.route("**/search?*q=kodo", hold)
    visit(page, "/about")
    box = page.get_by_role("combobox")
    box.press_sequentially("kod")
    expect(page.get_by_role("option")).to_have_count(2)
    with page.expect_request("**/search?*q=kodo"):
        box.press("o")
    box.press("ArrowDown")
    box.press("ArrowDown")
    chosen = page.locator('[role="option"][aria-selected="true"]')
    name = chosen.locator("bdi").text_content()
    held[0].continue_()
    expect(page.locator("#search-suggestions mark").first).to_have_text(re.compile("^kodo$", re.IGNORECASE))
    expect(chosen.locator("bdi")).to_have_text(name)
    expect(box).to_have_attribute("aria-activedescendant", chosen.get_attribute("id"))
    box.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_suggestions_forgive_typing_errors_and_accents_and_mark_what_was_typed(page):
    world.fill()
    visit(page, "/about")
    box = page.get_by_role("combobox")
    box.fill("eber")
    expect(page.get_by_role("option").locator("mark")).to_have_text("Éber")
    box.fill("Dyng Kodo")
    expect(page.get_by_role("option").first).to_contain_text("Dying Kodo")
    box.fill("xyzzyx")
    expect(page.locator("#search-suggestions .none")).to_have_text("Nothing is called “xyzzyx”")
    expect(box).to_have_attribute("aria-expanded", "false")
    assert findings(page) == []
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/enUS/search\?q=xyzzyx"))


def test_escape_closes_the_suggestions_and_enter_searches(page):
    world.fill()
    visit(page, "/")
    page.get_by_role("combobox").fill("kodo")
    expect(page.get_by_role("listbox")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/enUS/search\?q=kodo"))


def test_appearance_is_switched_and_remembered(page):
    visit(page, "/about")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_label("Language and appearance").click()
    page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(paper)
    assert dark != light
    visit(page, "/upload")
    assert page.evaluate(paper) == dark


def test_language_and_locale_are_switched_in_the_head(page):
    world.fill()
    visit(page, f"/enUS/mobs/{world.KODO}")
    page.get_by_label("Language and appearance").click()
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", name="Wo sie lebt")).to_be_visible()
    visit(page, "/enUS/zones")
    page.locator("summary", has_text="enUS").click()
    page.get_by_role("button", name="deDE").click()
    expect(page).to_have_url(re.compile("/deDE/zones$"))


def test_the_skip_link_leads_past_the_head(page):
    visit(page, "/about")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
