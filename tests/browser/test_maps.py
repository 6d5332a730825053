"""The maps: dots, switches, filters, and addresses that can be shared."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import world

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases="__all__")]


@pytest.fixture
def zone() -> int:
    return world.fill()


def open_zone(page: Page, zone: int, fragment: str = "") -> None:
    page.goto(f"/enUS/zones/{zone}{fragment}")
    expect(page.locator("#map")).to_have_attribute("data-state", "drawn")


def points(page: Page, count: int) -> None:
    expect(page.locator("#map")).to_have_attribute("data-points", str(count))


def inked(page: Page) -> int:
    """Return how many pixels the dots cover."""
    return page.evaluate(
        """() => {
            const canvas = document.querySelector(".leaflet-overlay-pane canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let count = 0;
            for (let at = 3; at < data.length; at += 4) if (data[at]) count += 1;
            return count;
        }"""
    )


def painted(page: Page) -> None:
    """Wait until what was asked for is on the canvas: two frames."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def address(page: Page) -> str:
    """Return the address as the page itself sees it: the driver hears later of what scripts change."""
    return page.evaluate("location.href")


def creature(page: Page, id: int):
    return page.locator(f'[data-mob="{id}"] input')


def test_a_zone_shows_its_dots_and_switches_them(page, zone):
    open_zone(page, zone)
    points(page, 3)
    painted(page)
    everything = inked(page)
    assert everything > 100
    creature(page, world.KODO).uncheck()
    points(page, 1)
    expect(page.locator("#shown")).to_have_text("1 spawn point shown")
    painted(page)
    assert 0 < inked(page) < everything
    page.get_by_role("button", name="All off").click()
    points(page, 0)
    page.get_by_role("button", name="All on").click()
    points(page, 3)


def test_a_zone_is_filtered_by_name_level_certainty_and_floor(page, zone):
    open_zone(page, zone)
    page.get_by_placeholder("Filter by name").fill("eber")
    points(page, 1)
    expect(page.locator("#mobs li:visible")).to_have_count(1)
    page.get_by_placeholder("Filter by name").fill("nothing at all")
    expect(page.get_by_text("No creature here fits these filters.")).to_be_visible()
    page.get_by_placeholder("Filter by name").fill("")
    page.get_by_text("Filters and colors").click()
    page.get_by_label("from level").fill("20")
    page.get_by_label("to level").fill("40")
    expect(page.locator("#mobs li:visible")).to_have_count(1)
    points(page, 2)
    page.get_by_label("Confirmed only").check()
    points(page, 1)
    page.get_by_label("Confirmed only").uncheck()
    page.get_by_label("from level").fill("")
    page.get_by_label("to level").fill("")
    page.get_by_label("Floor", exact=True).select_option("1")
    points(page, 1)


def test_a_shared_address_restores_the_view(page, zone):
    open_zone(page, zone)
    creature(page, world.KODO).uncheck()
    page.get_by_text("Filters and colors").click()
    page.get_by_label("from level").fill("5")
    before = address(page)
    page.get_by_role("button", name="Zoom in").click()
    expect(page).not_to_have_url(before)
    shared = address(page)
    fragment = shared.partition("#")[2]
    assert f"hide={world.KODO}" in fragment or "show=" in fragment
    assert "low=5" in fragment
    page.goto("/about")
    page.goto(shared)
    expect(page.locator("#map")).to_have_attribute("data-state", "drawn")
    points(page, 1)
    expect(creature(page, world.KODO)).not_to_be_checked()
    expect(page.get_by_label("from level")).to_have_value("5")
    page.wait_for_timeout(300)
    assert address(page) == shared


def test_a_link_within_the_page_leads_to_the_same_whatever_was_shown_before(page, zone):
    def view() -> tuple[list[float], list[str]]:
        """Return where the map stands and what is chosen, with a layer more: only what changes is written."""
        page.get_by_label("Areas").check()
        at, *more = address(page).partition("#at=")[2].split("&")
        return [float(number) for number in at.split(",")], more

    for link in ("#", "#floor=9", f"#show={world.KODO}", "#at=30,30,3", f"#floor=1&hide={world.WORG}"):
        page.goto("/about")
        open_zone(page, zone, link)
        place, choices = view()
        page.goto("/about")
        open_zone(page, zone, f"#at=20,80,5&floor=1&hide={world.KODO}&low=5&since=2024-11-01&colours=level")
        follow = """(link) => new Promise((done) => {
            addEventListener("hashchange", () => done(), { once: true });
            location.hash = link;
        })"""
        page.evaluate(follow, link)
        assert view() == (pytest.approx(place, abs=0.15), choices), link


def test_no_creature_is_lost_from_an_address_however_many_are_chosen(page, site):
    page.goto("/about")
    kept = page.evaluate(
        """async () => {
            const { read, write } = await import("/static/as-written/js/map/fragment.js");
            const named = Array.from({ length: 100 }, (_, at) => 2 ** 31 + at * 7);
            const all = [...Array.from({ length: 900 }, (_, at) => 60_000 - at * 61), ...named];
            const view = read("", all);
            const round = (shown) => {
                const written = write({ ...view, shown: new Set(shown) }, all, []);
                return [written.length, [...read(written, all).shown].join() === shown.join()];
            };
            return [3, 450, 499, 500, 501, 700, 990].map((count) => round(all.slice(-count)));
        }"""
    )
    assert [whole for _, whole in kept] == [True] * 7
    assert max(length for length, _ in kept) < 2000


def test_an_address_with_nonsense_shows_the_whole_zone(page, zone):
    open_zone(page, zone, "#at=x,NaN,9999&show=abc&floor=-1&low=1e9&name=%3Cscript%3E")
    expect(page.get_by_placeholder("Filter by name")).to_have_value("<script>")
    page.get_by_placeholder("Filter by name").fill("")
    points(page, 3)


def test_a_dot_tells_name_sightings_players_and_certainty(page, zone):
    open_zone(page, zone, f"#at=21.6,33,4&show={world.KODO}")
    points(page, 2)
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".leaflet-tooltip")).to_contain_text("Dying Kodo")
    expect(page.locator(f'[data-mob="{world.KODO}"]')).to_have_class(re.compile("highlighted"))
    expect(page.locator(".coordinates")).to_have_text("21.6 / 33.0")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    popup = page.locator(".leaflet-popup-content")
    expect(popup).to_contain_text("Dying Kodo")
    expect(popup).to_contain_text("confirmed by at least two players")
    expect(popup).to_contain_text("Sightings3Players3")
    popup.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Dying Kodo")


def test_gathering_positions_are_switched_by_kind_and_kept_in_the_address(page, zone):
    open_zone(page, zone)
    painted(page)
    without = inked(page)
    herbs = page.get_by_label("Herbs")
    expect(herbs).not_to_be_checked()
    herbs.check()
    expect(page.locator("#map")).to_have_attribute("data-gathering", "1")
    painted(page)
    assert inked(page) > without
    points(page, 3)
    assert "gathering=herb" in address(page)
    page.reload()
    expect(herbs).to_be_checked()
    expect(page.locator("#map")).to_have_attribute("data-gathering", "1")
    page.get_by_label("Floor", exact=True).select_option("1")
    expect(page.locator("#map")).to_have_attribute("data-gathering", "0")


def test_a_gathering_place_tells_what_it_is_and_leads_to_its_page(page, zone):
    open_zone(page, zone, "#at=10,10,4&show=none&gathering=herb")
    expect(page.locator("#map")).to_have_attribute("data-gathering", "1")
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".leaflet-tooltip")).to_contain_text("<script>")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(".leaflet-popup-content").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>")


def test_gathering_positions_that_can_not_be_loaded_say_so_and_are_tried_again(page, zone, complaints):
    answers = iter([False, True])
    page.route(
        "**/zones/*/sources",
        lambda route: route.continue_() if next(answers) else route.fulfill(status=503, json={"detail": "Later."}),
    )
    open_zone(page, zone)
    page.get_by_label("Herbs").check()
    expect(page.locator(".map-state")).to_contain_text("Later.")
    page.get_by_label("Herbs").uncheck()
    page.get_by_label("Herbs").check()
    expect(page.locator("#map")).to_have_attribute("data-gathering", "1")
    expect(page.locator(".map-state")).to_be_hidden()
    assert all("503" in text for text in complaints)
    complaints.clear()


def rulers(page: Page) -> list[str]:
    return page.locator(".ruler.x span").all_text_contents()


def test_a_creatures_map_shows_its_dots_and_on_demand_the_whole_zone(page, zone):
    page.goto(f"/enUS/mobs/{world.KODO}")
    points(page, 2)
    assert "30" in rulers(page)
    assert "80" not in rulers(page)
    page.get_by_role("button", name="Whole zone").click()
    assert "80" in rulers(page)


def test_a_lone_dot_keeps_some_of_the_zone_around_it(page, zone):
    page.goto("/enUS/sources?kind=herb")
    page.locator(".tiles a").click()
    points(page, 1)
    assert {"10", "20"} <= set(rulers(page))


def test_a_creature_chosen_elsewhere_fills_the_zones_map(page, zone):
    open_zone(page, zone, f"#show={world.KODO}")
    points(page, 2)
    assert "80" not in rulers(page)


def test_a_creature_page_maps_positions_and_spawn_points(page, zone):
    page.goto(f"/enUS/mobs/{world.KODO}")
    expect(page.locator("#map-state")).to_have_text("2 noted positions, 2 estimated spawn points")
    points(page, 2)
    ground = page.locator("#map img.contours")
    expect(ground).to_have_attribute("src", re.compile(rf"/enUS/zones/{zone}/ground/0\.png"))
    expect(ground).to_have_js_property("complete", True)
    assert ground.evaluate("picture => picture.naturalWidth") > 0
    painted(page)
    with_both = inked(page)
    page.get_by_label("Spawn points").uncheck()
    painted(page)
    assert 0 < inked(page) < with_both


def test_a_source_page_maps_its_positions(page, zone):
    page.goto("/enUS/sources?kind=herb")
    page.locator(".tiles a").click()
    expect(page.locator("#map-state")).to_have_text("1 noted position")


def test_a_map_that_can_not_be_loaded_says_so(page, zone, complaints):
    page.route("**/map", lambda route: route.fulfill(status=503, json={"detail": "Come back later."}))
    page.goto(f"/enUS/zones/{zone}")
    expect(page.locator(".map-state")).to_contain_text("Come back later.")
    assert all("503" in text for text in complaints)
    complaints.clear()


@pytest.mark.parametrize("context_options", [{"viewport": {"width": 390, "height": 844}, "locale": "en-GB"}])
def test_on_a_phone_the_list_is_a_drawer_below_the_map(page, zone, context_options):
    open_zone(page, zone)
    map_box = page.locator("#map").bounding_box()
    handle = page.get_by_role("button", name="Creatures")
    assert map_box["width"] >= 388
    assert handle.bounding_box()["y"] >= map_box["y"] + map_box["height"] - 2
    expect(page.locator("#mobs")).to_be_visible()
    handle.click()
    expect(page.locator("#mobs")).to_be_hidden()
