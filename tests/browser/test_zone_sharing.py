"""Handing on what a zone's map shows: in a frame, as a link, as files; and what lies under the dots."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from django.contrib.gis.geos import Polygon
from PIL import Image
from playwright.sync_api import Page, expect

from maps.images import backgrounds
from maps.models import Spawn
from tests.browser import world
from tests.browser.test_maps import address, creature, open_zone, points
from tests.maps import factories

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True, databases="__all__")]


@pytest.fixture
def zone() -> int:
    return world.fill()


@pytest.fixture
def other_site() -> Iterator[Callable[[str], str]]:
    """Serve a page from another origin; returns its address."""
    shown: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<!doctype html><link rel=icon href=data:,><title>Other</title>{shown[0]}".encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()

    def show(html: str) -> str:
        shown.append(html)
        return f"http://127.0.0.1:{server.server_port}/"

    yield show
    server.shutdown()
    server.server_close()
    thread.join()


def saved(page: Page, kind: str) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    return Path(download.value.path())


def open_share(page: Page) -> None:
    page.get_by_text("Share and download").click()


def test_what_is_shown_is_downloaded_as_geojson(page, zone):
    open_zone(page, zone)
    creature(page, world.WORG).uncheck()
    page.get_by_label("Herbs").check()
    expect(page.locator("#map")).to_have_attribute("data-gathering", "1")
    open_share(page)
    features = json.loads(saved(page, "GeoJSON").read_text(encoding="utf-8"))["features"]
    assert [(one["properties"]["kind"], one["geometry"]["coordinates"]) for one in features] == [
        ("creature", [21.6, 33]),
        ("creature", [46.1, 40.7]),
        ("herb", [10, 10]),
    ]
    assert features[0]["properties"]["name"] == "Dying Kodo"
    assert features[0]["properties"]["confirmed"] is True
    assert [(one["properties"]["radius"], one["properties"]["last_seen"]) for one in features] == [
        (1, "2024-10-04"),
        (1, "2024-10-04"),
        (None, "2024-10-04"),
    ]
    assert features[2]["properties"]["name"] == world.HOSTILE[:100]


def test_what_is_shown_is_downloaded_as_csv_that_no_spreadsheet_runs(page, zone):
    open_zone(page, zone, "#floor=1")
    open_share(page)
    (row,) = csv.DictReader(saved(page, "CSV").read_text(encoding="utf-8").splitlines())
    assert (row["kind"], row["x"], row["y"], row["floor"]) == ("creature", "75", "75", "1")
    assert row["name"] == world.HOSTILE[:100]
    harmless = page.evaluate(
        """async () => {
            const { csv } = await import("/static/as-written/js/map/download.js");
            return csv([{ kind: "creature", id: 1, name: '=cmd|"x"!A1', floor: 0, x: 1, y: 2 }]);
        }"""
    )
    assert '"\'=cmd|""x""!A1"' in harmless


def test_areas_are_downloaded_as_polygons_and_as_rows_with_their_extent(page, zone):
    ring = [[30, 60], [30, 80], [70, 80], [70, 60], [30, 60]]
    hole = [[40, 65], [60, 65], [60, 75], [40, 75], [40, 65]]
    Spawn.objects.using(factories.EN).filter(mob=world.WORG).update(area=Polygon(ring, hole))
    open_zone(page, zone, "#layers=areas")
    open_share(page)
    *others, patrol = json.loads(saved(page, "GeoJSON").read_text(encoding="utf-8"))["features"]
    assert [(one["properties"]["kind"], one["properties"]["id"]) for one in others] == [("area", world.KODO)] * 2
    for one in others:
        (outline,) = one["geometry"]["coordinates"]
        assert outline[0] == outline[-1] and len(outline) > 10
    # Wound as RFC 7946 wants it, whichever way PostGIS told it.
    assert patrol["geometry"] == {"type": "Polygon", "coordinates": [ring[::-1], hole[::-1]]}
    assert patrol["properties"] == {
        "kind": "patrol", "id": world.WORG, "name": "Éber Worg", "floor": 0, "sightings": 2, "uploaders": 2,
        "confirmed": False, "radius": 31.62, "last_seen": "2024-10-04",
    }  # fmt: skip
    rows = list(csv.DictReader(saved(page, "CSV").read_text(encoding="utf-8").splitlines()))
    assert [(row["kind"], row["x"], row["y"]) for row in rows] == [
        ("area", "21.6", "33"),
        ("area", "46.1", "40.7"),
        ("patrol", "50", "70"),
    ]
    assert rows[2]["radius"] == "31.62"


def test_players_of_an_area_around_several_spawn_points_are_not_counted_twice(page, zone):
    factories.spawn(world.KODO, zone, 22, 33.5, sightings=4, uploaders=3, confirmed=True, db=factories.EN)
    open_zone(page, zone, f"#layers=areas&show={world.KODO}")
    open_share(page)
    features = json.loads(saved(page, "GeoJSON").read_text(encoding="utf-8"))["features"]
    told = sorted((one["properties"]["sightings"], one["properties"]["uploaders"]) for one in features)
    assert told == [(1, 1), (7, None)]


def test_no_empty_file_is_offered(page, zone):
    open_zone(page, zone)
    said = page.get_by_text("There is nothing to put into a file")
    for layer in ("Spawn points", "Areas", "Herbs"):
        page.get_by_label(layer, exact=layer == "Spawn points").check()
        expect(page.locator("[data-download]:enabled")).to_have_count(2)
        open_share(page)
        expect(page.get_by_role("button", name="GeoJSON")).to_be_visible()
        expect(said).to_be_hidden()
        open_share(page)
        page.get_by_label(layer, exact=layer == "Spawn points").uncheck()
        expect(page.locator("[data-download]:disabled")).to_have_count(2)
    open_share(page)
    expect(said).to_be_visible()


@pytest.mark.parametrize(
    "context_options",
    [
        {
            "locale": "en-GB",
            "viewport": {"width": 1280, "height": 900},
            "permissions": ["clipboard-read", "clipboard-write"],
        }
    ],
)
def test_the_link_and_the_frame_hold_what_is_seen(page, zone, site, context_options):
    open_zone(page, zone, "#at=50,50,3")
    creature(page, world.WORG).uncheck()
    open_share(page)
    page.locator("[data-copy=share-link]").click()
    expect(page.get_by_text("Copied")).to_be_attached()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == address(page)
    markup = page.get_by_label("For your own page").input_value()
    at = re.escape(address(page).partition("#")[2].replace("&", "&amp;"))
    assert re.search(f'src="{site}/enUS/zones/{zone}/embed#{at}"', markup)


def test_the_link_follows_what_is_seen_while_it_is_shown(page, zone, site):
    open_zone(page, zone, "#at=50,50,3")
    open_share(page)
    link = page.get_by_label("Link to what you see")
    expect(link).to_have_value(f"{site}/enUS/zones/{zone}#at=50,50,3")
    box = page.locator("#map").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -300)
    expect(link).not_to_have_value(f"{site}/enUS/zones/{zone}#at=50,50,3")
    # The wheel goes on for a moment.
    expect(page.locator(".leaflet-zoom-anim")).to_have_count(0)
    seen = address(page)
    expect(link).to_have_value(seen)
    assert f"/embed{seen[seen.index('#') :]}" in page.get_by_label("For your own page").input_value()


def test_the_map_works_in_a_frame_of_another_site(page, zone, site, other_site):
    page.goto(other_site(f'<iframe src="{site}/enUS/zones/{zone}/embed#hide={world.WORG}" width="800" height="600">'))
    inner = page.frame_locator("iframe")
    expect(inner.locator("#map")).to_have_attribute("data-points", "2")
    expect(inner.locator("#mobs")).to_be_hidden()
    inner.get_by_role("button", name="Creatures").click()
    inner.locator(f'[data-mob="{world.KODO}"] input').uncheck()
    expect(inner.locator("#map")).to_have_attribute("data-points", "0")
    whole = inner.get_by_role("link", name="Open on MobMap")
    assert f"/enUS/zones/{zone}#" in whole.evaluate("(link) => link.href")
    assert "show=" in whole.evaluate("(link) => link.href") or "hide=" in whole.evaluate("(link) => link.href")


@pytest.mark.parametrize(("width", "stays_open"), [(390, False), (500, False), (1000, True)])
def test_a_story_chosen_in_a_frame_is_seen_whole_beside_the_list_or_in_its_place(page, zone, width, stays_open):
    page.set_viewport_size({"width": width, "height": 600})
    page.goto(f"/enUS/zones/{zone}/embed#show={world.KODO}")
    expect(page.locator("#map")).to_have_attribute("data-state", "drawn")
    handle = page.locator(".panel-toggle")
    handle.click()
    page.locator("#mobs li:has(input:checked) .unfold").click()
    page.locator(".point-list button").first.click()
    expect(page.locator(".leaflet-popup-content")).to_contain_text("noted position")
    expect(handle).to_have_attribute("aria-expanded", str(stays_open).lower())
    # The map moves until the whole popup is seen.
    expect(page.locator(".leaflet-pan-anim")).to_have_count(0)
    popup, drawer = (page.locator(one).bounding_box() for one in (".leaflet-popup-content-wrapper", ".creatures"))
    beside = popup["x"] + popup["width"] <= drawer["x"]
    assert beside or popup["y"] + popup["height"] <= drawer["y"]
    assert popup["x"] >= 0 and popup["x"] + popup["width"] <= width
    page.keyboard.press("Escape")
    expect(page.locator(".leaflet-popup")).to_have_count(0)
    expect(handle if not stays_open else page.locator(".point-list button").first).to_be_focused()


def test_the_walked_ground_lies_under_the_dots_of_the_floor_and_can_be_left_out(page, zone):
    open_zone(page, zone)
    ground = page.locator("img.contours")
    expect(ground).to_have_attribute("src", re.compile(rf"/enUS/zones/{zone}/ground/0\.png"))
    expect(ground).to_have_js_property("complete", True)
    assert ground.evaluate("(image) => image.naturalWidth") == 1200
    assert "layers" not in address(page)
    page.get_by_label("Floor", exact=True).select_option("1")
    expect(ground).to_have_attribute("src", re.compile(rf"/enUS/zones/{zone}/ground/1\.png"))
    page.get_by_label("Walked ground").uncheck()
    expect(ground).to_have_count(0)
    page.reload()
    points(page, 1)
    expect(page.get_by_label("Walked ground")).not_to_be_checked()
    expect(ground).to_have_count(0)


def test_an_imported_picture_lies_under_everything(page, zone, settings, tmp_path):
    settings.ZONE_IMAGE_DIR = tmp_path
    backgrounds.store(Image.new("RGBA", (600, 400), (0, 128, 0, 255)), "enUS", zone, 0)
    with page.expect_response("**/zone-images/**") as answer:
        open_zone(page, zone)
    assert answer.value.ok
    tiles = page.locator(".leaflet-image-pane img")
    expect(tiles.first).to_be_visible()
    page.get_by_label("Picture").uncheck()
    expect(tiles).to_have_count(0)
    page.get_by_label("Picture").check()
    page.get_by_label("Floor", exact=True).select_option("1")
    expect(tiles).to_have_count(0)
