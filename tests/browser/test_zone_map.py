"""The zone map's layers, filters and tools, in step with its list and its address."""

from __future__ import annotations

import pytest
from django.contrib.gis.geos import Polygon
from playwright.sync_api import Page, expect

from maps import paging
from maps.models import Habitat, Spawn
from tests.browser import world
from tests.browser.test_maps import address, creature, inked, open_zone, painted, points
from tests.maps import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases="__all__")]


@pytest.fixture
def zone() -> int:
    return world.fill()


def narrow(page: Page) -> None:
    page.get_by_text("Filters and colors").click()


def colors_of_swatches(page: Page) -> list[str]:
    return page.evaluate(
        "[...document.querySelectorAll('#mobs .swatch')].map((one) => one.style.getPropertyValue('--swatch'))"
    )


def click_centre(page: Page) -> None:
    box = page.locator("#map").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_areas_and_density_cover_more_ground_than_dots_and_go_again(page, zone):
    open_zone(page, zone)
    painted(page)
    dots = inked(page)
    for layer in ("Areas", "Density"):
        page.get_by_label(layer).check()
        painted(page)
        assert inked(page) > 3 * dots, layer
        page.get_by_label(layer).uncheck()
        painted(page)
        assert inked(page) == dots, layer
    page.get_by_label("Spawn points", exact=True).uncheck()
    painted(page)
    assert inked(page) == 0


def test_a_patrol_says_so_and_its_way_is_an_area(page, zone):
    ring = Polygon(((30, 60), (70, 60), (70, 80), (30, 80), (30, 60)))
    Spawn.objects.using(factories.EN).filter(mob=world.WORG).update(area=ring)
    open_zone(page, zone, f"#at=50,50,3&show={world.WORG}")
    painted(page)
    without = inked(page)
    page.get_by_label("Areas").check()
    painted(page)
    # 40 percent across and 20 down, at zoom 3 with 12 and 8 pixels each.
    assert 0.9 < (inked(page) - without) / (40 * 12 * 20 * 8) < 1.1
    click_centre(page)
    expect(page.locator(".leaflet-popup-content")).to_contain_text("It patrols")


def test_what_a_patrol_leads_around_is_not_its_area(page, zone):
    ring = ((30, 60), (70, 60), (70, 80), (30, 80), (30, 60))
    hole = ((40, 65), (60, 65), (60, 75), (40, 75), (40, 65))
    Spawn.objects.using(factories.EN).filter(mob=world.WORG).update(area=Polygon(ring, hole))
    open_zone(page, zone, f"#at=50,50,3&show={world.WORG}")
    painted(page)
    without = inked(page)
    page.get_by_label("Areas").check()
    painted(page)
    # The hole is 20 percent across and 10 down.
    assert 0.9 < (inked(page) - without) / ((40 * 20 - 20 * 10) * 12 * 8) < 1.1


def test_reactions_are_filtered_as_either_side_meets_them(page, zone):
    open_zone(page, zone)
    narrow(page)
    page.get_by_label("hostile").uncheck()
    expect(creature(page, world.KODO)).to_be_visible()
    page.get_by_label("To whom").select_option("alliance")
    expect(creature(page, world.KODO)).to_be_hidden()
    page.get_by_label("To whom").select_option("horde")
    expect(creature(page, world.KODO)).to_be_visible()
    expect(creature(page, world.WORG)).to_be_hidden()
    page.get_by_label("neutral").uncheck()
    expect(page.get_by_text("No creature here fits these filters.")).to_be_visible()
    points(page, 0)


def test_colours_tell_levels_or_reactions_with_a_legend(page, zone):
    open_zone(page, zone)
    expect(page.locator("#legend")).to_be_hidden()
    own = colors_of_swatches(page)
    narrow(page)
    page.get_by_label("Colors by").select_option("level")
    assert page.locator("#legend li").all_text_contents()[0] == "12"
    by_level = colors_of_swatches(page)
    page.get_by_label("Colors by").select_option("reaction")
    expect(page.locator("#legend")).to_contain_text("hostile")
    assert len({tuple(own), tuple(by_level), tuple(colors_of_swatches(page))}) == 3


def test_everything_chosen_is_in_the_address_and_comes_back(page, zone):
    open_zone(page, zone)
    page.get_by_label("Areas").check()
    narrow(page)
    page.get_by_label("To whom").select_option("horde")
    page.get_by_label("friendly").uncheck()
    page.get_by_label("Colors by").select_option("level")
    page.get_by_label("Fade dots not seen since").fill("2024-11-01")
    fragment = address(page).partition("#")[2]
    for part in (
        "layers=spawns,areas",
        "side=horde",
        "react=hostile,neutral",
        "colours=level",
        "since=2024-11-01",
        "at=",
    ):
        assert part in fragment, fragment
    shared = address(page)
    page.goto("/about")
    page.goto(shared)
    expect(page.locator("#map")).to_have_attribute("data-state", "drawn")
    expect(page.get_by_label("Areas")).to_be_checked()
    expect(page.get_by_label("To whom")).to_have_value("horde")
    expect(page.get_by_label("friendly")).not_to_be_checked()
    expect(page.get_by_label("Fade dots not seen since")).to_have_value("2024-11-01")
    expect(page.locator("#legend")).to_be_visible()
    assert address(page) == shared


def solid(page: Page, above: int = 250) -> int:
    """Return how many pixels the dots cover more opaquely than that, of 255."""
    return page.evaluate(
        """(above) => {
            const canvas = document.querySelector(".leaflet-overlay-pane canvas");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let count = 0;
            for (let at = 3; at < data.length; at += 4) if (data[at] > above) count += 1;
            return count;
        }""",
        above,
    )


def test_dots_fade_that_were_not_seen_since_a_day(page, zone):
    open_zone(page, zone)
    narrow(page)
    painted(page)
    fresh = solid(page)
    assert fresh > 20
    page.get_by_label("Fade dots not seen since").fill("2024-10-04")
    painted(page)
    assert solid(page) == fresh, "seen on that very day"
    page.get_by_label("Fade dots not seen since").fill("2024-10-05")
    painted(page)
    assert solid(page) == 0
    points(page, 3)


def test_gathering_positions_fade_that_were_not_seen_since_a_day(page, zone):
    open_zone(page, zone, "#layers=&gathering=herb")
    expect(page.locator("#map")).to_have_attribute("data-gathering", "1")
    narrow(page)
    page.get_by_label("Fade dots not seen since").fill("2024-10-04")
    painted(page)
    assert solid(page, 200) > 10, "seen on that very day"
    page.get_by_label("Fade dots not seen since").fill("2024-10-05")
    painted(page)
    assert solid(page, 200) == 0
    assert inked(page) > 10


def test_a_gathering_place_tells_why_it_is_there(page, zone):
    herb = factories.source("herb", object="Peacebloom", db=factories.EN)
    factories.habitat(-herb, zone, {(30, 60): [1, 2, 2]}, first_seen=factories.DAY - 3, db=factories.EN)
    open_zone(page, zone, "#at=30,60,4&gathering=herb")
    expect(page.locator("#map")).to_have_attribute("data-gathering", "2")
    click_centre(page)
    popup = page.locator(".leaflet-popup-content")
    for part in (
        "Peacebloom",
        "Sightings3Players2First seenOct 1, 2024Last seenOct 4, 2024",
        "confirmed by at least two players",
        "nothing is estimated",
    ):
        expect(popup).to_contain_text(part)


def test_a_dot_tells_why_it_is_there_and_draws_what_is_around_it(page, zone):
    places = {(20, 80): [1], (20.6, 80.4): [2], (19.5, 79.8): [2], (60, 80): [3]}
    factories.habitat(world.WORG, zone, places, floor=1, db=factories.EN)
    # The dot fades by the newest of all that no other dot is nearer to, so that is the day to tell.
    days = [factories.DAY] * 3 + [factories.DAY + 7]
    Habitat.objects.using(factories.EN).filter(subject=world.WORG, floor=1).update(last_seen=days)
    factories.spawn(world.WORG, zone, 20, 80, floor=1, sightings=3, uploaders=2, confirmed=True, db=factories.EN)
    open_zone(page, zone, f"#at=20,80,5&floor=1&show={world.WORG}")
    points(page, 1)
    around = page.locator(".leaflet-overlay-pane canvas").nth(1)
    click_centre(page)
    popup = page.locator(".leaflet-popup-content")
    expect(popup).to_contain_text("Drawn around it: 3 noted positions, nearest to this dot")
    expect(popup).to_contain_text("First seenOct 4, 2024")
    expect(popup).to_contain_text("Last seenOct 11, 2024")
    painted(page)
    covered = "(canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"
    page.mouse.move(5, 5)
    painted(page)
    assert around.evaluate(covered)
    page.get_by_role("button", name="Close").click()
    expect(popup).to_have_count(0)
    painted(page)
    assert not around.evaluate(covered)


@pytest.mark.parametrize("context_options", [{"locale": "de-DE", "viewport": {"width": 390, "height": 844}}])
def test_a_dots_story_fits_a_phone_in_the_longer_language(page, zone, context_options):
    open_zone(page, zone, f"#at=21.6,33,4&show={world.KODO}")
    click_centre(page)
    popup = page.locator(".leaflet-popup-content")
    expect(popup).to_contain_text("Darum eingezeichnet: 1 notierte Position, diesem Punkt am nächsten.")
    assert popup.evaluate("(content) => content.scrollHeight <= content.clientHeight")


def test_positions_that_can_not_be_loaded_are_said_and_asked_for_again(page, zone, complaints):
    page.route("**/places", lambda route: route.fulfill(status=503, json={"detail": "Later."}), times=1)
    open_zone(page, zone, f"#at=21.6,33,4&show={world.KODO}")
    click_centre(page)
    popup = page.locator(".leaflet-popup-content")
    expect(popup).to_contain_text("could not be loaded (Later.)")
    page.get_by_role("button", name="Close").click()
    click_centre(page)
    expect(popup).to_contain_text("Drawn around it: 1 noted position,")
    assert all("503" in text for text in complaints)
    complaints.clear()


def test_spawn_points_are_reached_from_the_list_by_keyboard(page, zone):
    open_zone(page, zone)
    unfold = page.get_by_role("button", name="Spawn points of Dying Kodo")
    unfold.focus()
    page.keyboard.press("Enter")
    expect(unfold).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="21.6 / 33.0")).to_be_visible()
    page.get_by_role("button", name="46.1 / 40.7").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".leaflet-popup-content")).to_contain_text("46.1 / 40.7")
    expect(page.locator(".leaflet-popup-content > div")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".leaflet-popup-content")).to_have_count(0)
    expect(page.get_by_role("button", name="46.1 / 40.7")).to_be_focused()
    page.get_by_role("button", name="Spawn points of <script>").click()
    page.get_by_role("button", name="75.0 / 75.0").click()
    expect(page.get_by_label("Floor", exact=True)).to_have_value("1")


def test_spawn_points_past_the_first_200_are_listed_when_asked_for(page, zone):
    for number in range(203):
        factories.spawn(world.WORG, zone, number / 4, 90, db=factories.EN)
    open_zone(page, zone)
    page.get_by_role("button", name="Spawn points of Éber Worg").click()
    places = page.locator(".point-list > li:not(.more)")
    expect(places).to_have_count(200)
    page.get_by_role("button", name="Show more (4 left)").focus()
    page.keyboard.press("Enter")
    expect(places).to_have_count(204)
    expect(places.nth(200).get_by_role("button")).to_be_focused()
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)


def test_what_is_gathered_is_reached_by_keyboard(page, zone):
    ore = factories.source("ore", object="Copper Vein", db=factories.EN)
    factories.loot(ore, zone, 3, {117: 3}, db=factories.EN)
    factories.habitat(-ore, zone, {(30, 60): [1, 2]}, db=factories.EN)
    factories.habitat(-ore, zone, {(70, 20): [1]}, floor=1, db=factories.EN)
    open_zone(page, zone)
    gathered = page.get_by_role("list", name="What is gathered here")
    expect(gathered).to_be_hidden()
    ore_switch = page.locator("[name=gathering][value=ore]")
    ore_switch.focus()
    page.keyboard.press("Space")
    expect(gathered.locator("bdi")).to_have_text(["Copper Vein"])
    unfold = gathered.get_by_role("button", name="Places of Copper Vein")
    unfold.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(gathered.get_by_role("link", name="Copper Vein")).to_be_focused()
    there = gathered.get_by_role("button", name="70.0 / 20.0")
    there.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".leaflet-popup-content")).to_contain_text("Copper Vein")
    expect(page.locator(".leaflet-popup-content")).to_contain_text("70.0 / 20.0")
    expect(page.locator(".leaflet-popup-content > div")).to_be_focused()
    expect(page.get_by_label("Floor", exact=True)).to_have_value("1")
    expect(page.locator("#map")).to_have_attribute("data-gathering", "1")
    page.keyboard.press("Escape")
    expect(there).to_be_focused()
    page.get_by_label("Herbs").check()
    expect(gathered.locator("bdi")).to_have_count(2)
    page.get_by_label("Herbs").uncheck()
    ore_switch.uncheck()
    expect(gathered).to_be_hidden()


@pytest.mark.parametrize("view", ["", "/embed"])
def test_the_map_shows_creatures_that_the_list_has_no_room_for(page, zone, view, monkeypatch):
    monkeypatch.setattr(paging, "MAX_LIMIT", 1)
    page.goto(f"/enUS/zones/{zone}{view}")
    points(page, 3)
    expect(page.locator("#mobs bdi")).to_have_text(["Dying Kodo"])
    open_list = page.locator(".panel-toggle")
    if view:
        open_list.click()
    expect(page.locator("#unlisted")).to_contain_text("2 more creatures are on the map, but not in this list.")
    page.get_by_placeholder("Filter by name").fill("eber")
    points(page, 1)
    expect(page.locator("#unlisted")).to_contain_text("1 more creature is")
    page.get_by_role("button", name="Show more").click()
    expect(page.locator("#mobs li:visible bdi")).to_have_text(["Éber Worg"])
    expect(creature(page, world.WORG)).to_be_focused()
    expect(page.locator(f'[data-mob="{world.WORG}"]')).to_contain_text("Level 12–14 · 2 sightings")
    expect(page.locator("#unlisted")).to_be_hidden()
    creature(page, world.WORG).uncheck()
    points(page, 0)
    page.get_by_placeholder("Filter by name").fill("")
    points(page, 2)
    page.reload()
    points(page, 2)
    if view:
        open_list.click()
    page.get_by_role("button", name="All off").click()
    points(page, 0)


def test_colours_and_links_hold_whatever_the_list_has_room_for(page, zone, monkeypatch):
    def colours() -> dict[str, str]:
        swatches = """() => Object.fromEntries([...document.querySelectorAll("#mobs li")].map(
            (item) => [item.dataset.mob, item.querySelector(".swatch").style.getPropertyValue("--swatch")]))"""
        return page.evaluate(swatches)

    open_zone(page, zone)
    own = colours()
    creature(page, world.KODO).uncheck()
    creature(page, world.BOSS).uncheck()
    points(page, 1)
    shared = address(page)
    assert f"show={world.WORG}" in shared
    monkeypatch.setattr(paging, "MAX_LIMIT", 1)
    page.goto("/about")
    page.goto(shared)
    points(page, 1)
    expect(creature(page, world.KODO)).not_to_be_checked()
    page.get_by_role("button", name="Show more").click()
    expect(creature(page, world.WORG)).to_be_checked()
    assert colours() == own


def test_the_list_lights_the_dots_of_the_creature_under_the_pointer(page, zone):
    open_zone(page, zone)
    over = page.locator(".leaflet-overlay-pane canvas").nth(1)
    covered = "(canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"
    assert not over.evaluate(covered)
    page.locator(f'[data-mob="{world.KODO}"]').hover()
    painted(page)
    assert over.evaluate(covered)


def test_distances_are_measured_with_pointer_and_keyboard(page, zone):
    open_zone(page, zone, "#at=50,50,3")
    page.get_by_role("button", name="Measure a distance").click()
    box = page.locator("#map").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(*middle)
    page.mouse.click(middle[0] + 120, middle[1])
    # At zoom 3 a percent across is 12 pixels.
    expect(page.locator(".measured")).to_have_text("Distance: 10.0 (the zone is 100 wide)")
    expect(page.locator(".leaflet-popup-content")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".measured")).to_have_text("Distance: 20.0 (the zone is 100 wide)")
    page.keyboard.press("Backspace")
    expect(page.locator(".measured")).to_have_text("Distance: 10.0 (the zone is 100 wide)")
    page.keyboard.press("Escape")
    expect(page.locator(".measured")).to_be_hidden()


def test_the_map_takes_the_whole_screen_with_its_list(page, zone):
    open_zone(page, zone)
    button = page.get_by_role("button", name="Full screen")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("document.fullscreenElement.contains(document.querySelector('#mobs'))")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
