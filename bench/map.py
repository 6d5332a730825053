"""`bench/run map`: time to a zone's first dots, its size in bytes, and frames per second while 50,000 dots move."""

from __future__ import annotations

import argparse
import random
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bench import machine, merging, results, servers
from bench.results import Result, Target
from bench.screenshots import CHROMIUM, LOCALE
from bench.servers import Site
from deploy.steps.progress import step

CREATURES = 400
COORDINATES = 20_000
DOTS = 50_000
#: Coordinates around each spawn point, and their largest distance from it per axis, in tenths of a percent.
AROUND, MAX_OFFSET = 5, 3
#: Targets: milliseconds from the navigation to the first dots, bytes of a zone's data as sent, frames per second.
FIRST_DOTS_MS, MAP_BYTES, FRAMES = 1_000, 200_000, 30
PATIENCE_S = 120.0
#: How long the map is moved: sixty frames at 24 a second, so that all counted frames show a moving map.
MOVED_S = 2.5

#: As many spawn points as a season of uploads brings, in one statement: merging uploads would take too long.
_CROWD = """
    WITH gone AS (DELETE FROM spawn WHERE zone = %(zone)s)
    INSERT INTO spawn (mob, zone, floor, point, radius, sightings, uploaders, confirmed)
    SELECT 1 + n %% %(creatures)s, %(zone)s, 0, st_makepoint(random() * 100, random() * 100), 0.5, 3, 2, n %% 3 > 0
    FROM generate_series(1, %(dots)s) AS n
"""
#: Waits for a zone's first dots and returns their time in ms from the navigation. Playwright's wait_for_function
#: evaluates text, which the page's security policy forbids.
FIRST_DOTS = """() => new Promise((done) => {
  const report = (list) => list.getEntriesByName("first dots").forEach((mark) => done(mark.startTime));
  new PerformanceObserver(report).observe({ type: "mark", buffered: true });
})"""
_STALE = "INSERT INTO stale_file (kind, number) VALUES ('zone-map', %(zone)s) ON CONFLICT DO NOTHING"

#: Measures the frames per second of the next sixty frames.
_COUNT = """() => {
    window.frames_seen = (async () => {
        const began = await new Promise(requestAnimationFrame);
        let now = began;
        for (let frame = 0; frame < 60; frame += 1) now = await new Promise(requestAnimationFrame);
        return 60_000 / (now - began);
    })();
}"""


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="bench/run map",
        description=f"{__doc__} In headless Chromium without a graphics card, on this machine beside the server.",
    )
    parser.add_argument("--quick", action="store_true", help="two visits and two movements of each kind")
    parser.add_argument("--runs", type=int, help="visits, and movements of each kind (9; quick: 2)")
    options = parser.parse_args(arguments)
    runs = options.runs or (2 if options.quick else 9)
    with servers.running(needs_bytes=500_000_000) as site:
        result = Result(
            "map",
            "The map in a browser: first dots, bytes and frames",
            f"a zone of {CREATURES} creatures and {COORDINATES:,} coordinates, {runs} visits; "
            f"another of {DOTS:,} dots, {runs} movements of each kind",
            machine.facts(site.folders.var),
        )
        site.empty()
        site.start("web", "worker", "scheduler")
        small, crowded = _fill(site, random.Random(4))
        with _browser(site.address) as visitor:
            _visits(visitor, result, small, runs)
            _movements(visitor, result, crowded, runs)
    return results.finish(result, site.folders, quick=options.quick)


def _fill(site: Site, rng: random.Random) -> tuple[int, int]:
    """Make a zone from uploads and one of very many dots, both published; return their ids."""
    with step(f"Making a zone of {COORDINATES:,} coordinates and one of {DOTS:,} dots"):
        each = COORDINATES // CREATURES
        for document in (_document("Small", each, rng), _document("Crowded", 1, rng)):
            request = urllib.request.Request(
                f"{site.address}/api/v1/uploads", document, {"Content-Type": "application/xml"}, method="POST"
            )
            urllib.request.urlopen(request, timeout=60).close()
        servers.wait_for_merged(site, PATIENCE_S, "Merging the uploads")
        merging.wait_for_published(site, PATIENCE_S)
        with site.connect(merging.database(LOCALE)) as connection:
            ids = dict(connection.execute("SELECT name, id FROM zone").fetchall())
            values = {"zone": ids["Crowded"], "creatures": CREATURES, "dots": DOTS}
            connection.execute(_CROWD, values)
            connection.execute(_STALE, values)
        merging.wait_for_published(site, PATIENCE_S)
    return ids["Small"], ids["Crowded"]


def _document(zone: str, coordinates: int, rng: random.Random) -> bytes:
    """Return a document (version 44) of all creatures in a zone, with `coordinates` of each."""
    mobs = []
    for id in range(1, CREATURES + 1):
        found: set[tuple[int, int]] = set()
        while len(found) < coordinates:
            x, y = rng.randint(MAX_OFFSET, 1000 - MAX_OFFSET), rng.randint(MAX_OFFSET, 1000 - MAX_OFFSET)
            offsets = [
                (rng.randint(-MAX_OFFSET, MAX_OFFSET), rng.randint(-MAX_OFFSET, MAX_OFFSET)) for _ in range(AROUND)
            ]
            around = {(x + dx, y + dy) for dx, dy in offsets}
            found |= set(sorted(around - found)[: coordinates - len(found)])
        text = "".join(f"{x / 10:g}/{y / 10:g}," for x, y in sorted(found))
        level = id % 80 + 1
        mobs.append(
            f'<Mob name="Creature number {id}" blizzid="{id}" min="{level}" max="{level}" react="0" date="0">'
            f'<Zone name="{zone}" level="0">{text}</Zone></Mob>'
        )
    root = f'<MobMapData language="{LOCALE}" version="44" gameversion="12340|benchmark">'
    return f"{root}{''.join(mobs)}</MobMapData>".encode()


@contextmanager
def _browser(address: str) -> Iterator[Callable[[], Any]]:
    """Start Chromium and yield a function that opens a page for a new visitor, with a cache of its own."""
    # Imported here: the package is in the test extra only.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        yield lambda: browser.new_context(
            base_url=address, viewport={"width": 1280, "height": 900}, locale="en-GB"
        ).new_page()
        browser.close()


def _visits(visitor: Callable[[], Any], result: Result, zone: int, runs: int) -> None:
    """Measure from the navigation to the first dots, of new visitors and of the same when they return."""
    first: list[float] = []
    again: list[float] = []
    with step(f"{runs} visitors open a zone, twice each"):
        _first_dots_ms(visitor(), zone)  # warms the server
        for _ in range(runs):
            page = visitor()
            first.append(_first_dots_ms(page, zone))
            entry = f"performance.getEntriesByType('resource').find((one) => one.name.includes('/zones/{zone}/map'))"
            sizes = page.evaluate(
                f"(({{ encodedBodySize, decodedBodySize }}) => [encodedBodySize, decodedBodySize])({entry})"
            )
            dots = int(page.locator("#map").get_attribute("data-points"))
            again.append(_first_dots_ms(page, zone))
            page.context.close()
    result.add("navigation to first dots, new visitor", "ms", first)
    result.add("navigation to first dots, returning visitor", "ms", again)
    result.add("dots of that zone", "", [dots])
    result.add("data of that zone, compressed", "bytes", [sizes[0]])
    result.add("data of that zone, uncompressed", "bytes", [sizes[1]])
    result.targets += [
        Target("ms to the first dots, new visitor", results.percentile(first, 50), most=FIRST_DOTS_MS),
        Target("ms to the first dots, returning visitor", results.percentile(again, 50), most=FIRST_DOTS_MS),
        Target("bytes of a zone's data", sizes[0], most=MAP_BYTES),
    ]
    if not sizes[0] < sizes[1]:
        result.faults.append("The zone's data were sent uncompressed.")


def _first_dots_ms(page: Any, zone: int) -> float:
    page.goto(f"/{LOCALE}/zones/{zone}")
    return float(page.evaluate(FIRST_DOTS))


def _movements(visitor: Callable[[], Any], result: Result, zone: int, runs: int) -> None:
    """Measure frames per second while the map is at rest, dragged and zoomed."""
    page = visitor()
    page.goto(f"/{LOCALE}/zones/{zone}")
    page.locator(f'#map[data-state=drawn][data-points="{DOTS}"]').wait_for()
    box = page.locator("#map").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    seen: dict[str, list[float]] = {}
    with step(f"Moving {DOTS:,} dots"):
        for _ in range(runs):
            for name, move in (("at rest", _rest), ("dragged", _drag), ("zoomed", _zoom)):
                page.evaluate(_COUNT)
                move(page, x, y)
                seen.setdefault(name, []).append(page.evaluate("window.frames_seen"))
    for name, rates in seen.items():
        result.add(f"{DOTS:,} dots {name}", "frames/s", rates)
    result.targets += [
        Target(f"{DOTS:,} dots {name}, frames/s", results.percentile(seen[name], 50), least=FRAMES)
        for name in ("dragged", "zoomed")
    ]


def _rest(page: Any, x: float, y: float) -> None:
    """Do nothing: the frame rate at rest is the maximum."""


def _drag(page: Any, x: float, y: float) -> None:
    page.mouse.move(x, y)
    page.mouse.down()
    began, moved = time.monotonic(), 0
    while time.monotonic() - began < MOVED_S:
        page.mouse.move(x + moved % 50 * 4, y + moved % 30 * 4)
        moved += 1
    page.mouse.up()


def _zoom(page: Any, x: float, y: float) -> None:
    page.mouse.move(x, y)
    turns = 10
    for turned in range(turns):
        page.mouse.wheel(0, -120 if turned % 6 < 3 else 120)  # three in, three out: further in, fewer dots are visible
        page.wait_for_timeout(1000 * MOVED_S / turns)
