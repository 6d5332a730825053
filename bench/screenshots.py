"""`bench/run screenshots`: every view of a running site in docs/screenshots/, light and dark, desktop and phone.

For the site started in this checkout also the views of senders: four uploads are sent for them, then withdrawn.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode

from bench import sending
from deploy.steps.folders import CHECKOUT, from_environment
from deploy.steps.progress import Failure, say

FOLDER = CHECKOUT / "docs" / "screenshots"
CHROMIUM = Path("/usr/bin/chromium")
LOCALE = "enUS"

#: All images together must be small enough for a repository.
MAX_BYTES = 3_500_000
QUALITY = 60

#: The images that need an upload; only taken of the site started in this checkout.
RECEIPTS = "receipts"

DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 860}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@dataclass(frozen=True)
class View:
    """A view: the image's name, its path, and what to do there before the image is taken."""

    name: str
    path: str
    act: Callable[[Any], None] = lambda page: None
    for_admins: bool = False
    status: int = 200


def views(address: str) -> list[View]:
    """Return every view, of the largest zone and its creatures."""
    api = f"{address}/api/v1/{LOCALE}"
    zones = _json(f"{api}/zones?limit=1000")["zones"]
    if not zones:
        raise Failure(f"{address} shows no zone of {LOCALE} yet. ./deploy/run without --no-demo fills an empty site.")
    zone = _largest(zones)["id"]
    mobs = [mob for mob in _json(f"{api}/zones/{zone}/map")["mobs"] if mob["spawns"]]
    mob = max(mobs, key=lambda one: one["sightings"])
    loot = _json(f"{api}/mobs/{mob['id']}")["loot"]
    herb = max(_json(f"{api}/sources?kind=herb&limit=1000")["sources"], key=lambda one: one["lootings"], default=None)
    page = f"/{LOCALE}/zones/{zone}"
    found = [
        View("start", "/"),
        View("zones", f"/{LOCALE}/zones"),
        View("zone", page),
        View("zone-layers", f"{page}#layers=spawns,areas,density,ground&gathering=herb,ore&colours=level"),
        View("zone-dot", f"{page}#show={mob['id']}", _open_first_dot),
        View("embed", f"{page}/embed"),
        View("creature", f"/{LOCALE}/mobs/{mob['id']}"),
        View("gathering", f"/{LOCALE}/sources?kind=herb"),
        View("search", "/about", _search(mob["name"][:4])),
        View("search-results", f"/{LOCALE}/search?{urlencode({'q': mob['name'][:4]})}"),
        View("look", f"/{LOCALE}/look"),
        View("upload", "/upload"),
        View("about", "/about"),
        View("data-and-api", "/about/api"),
        View("not-found", f"/{LOCALE}/mobs/{2**31 - 1}", status=404),
        View("login", "/admin/login/"),
        View("queues", "/admin/queues/", for_admins=True),
        View("uploads", "/admin/ingest/upload/", for_admins=True),
        View("document", "/admin/ingest/upload/", _open_first_document, for_admins=True),
        View("players", "/admin/portal/player/", for_admins=True),
    ]
    if herb:
        found.append(View("gathering-source", f"/{LOCALE}/sources/{herb['id']}"))
    if loot:
        found.append(View("item", f"/{LOCALE}/items/{loot[0]['item']}"))
    return found


def _largest(zones: list[dict[str, Any]]) -> dict[str, Any]:
    return max(zones, key=lambda one: one["mobs"])


def main(arguments: list[str]) -> int:
    """Take all images and return the exit status."""
    parser = argparse.ArgumentParser(prog="bench/run screenshots", description=__doc__)
    parser.add_argument("--address", default=_running(), help="address of the site (default: of this checkout)")
    parser.add_argument("--only", metavar="NAME", help=f"only one view, such as zone-dot, or {RECEIPTS}")
    parser.add_argument(
        "--admin", type=Path, default=CHECKOUT / "var" / "admin-login", help="file with an admin's name and password"
    )
    options = parser.parse_args(arguments)
    if not options.address:
        raise Failure("No site runs here. Start one with ./deploy/run --detach, or give an address with --address.")
    address = options.address.rstrip("/")
    wanted = [view for view in views(address) if options.only in (None, view.name)]
    receipts = address == _running() and options.only in (None, RECEIPTS)
    if not wanted and not receipts:
        raise Failure(f"{address} has no view {options.only!r}.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    _take(address, wanted, options.admin, receipts=receipts)
    total = sum(one.stat().st_size for one in FOLDER.glob("*.webp"))
    say(f"{len(list(FOLDER.glob('*.webp')))} images in {FOLDER.relative_to(CHECKOUT)}, {total / 1e6:.1f} MB")
    if total > MAX_BYTES:
        raise Failure(f"The images have {total:,} bytes; the limit is {MAX_BYTES:,}. Lower QUALITY or leave some out.")
    return 0


def _take(address: str, wanted: list[View], login: Path, *, receipts: bool) -> None:
    # Imported here: the package is in the test extra only.
    from playwright.sync_api import sync_playwright

    sent: list[str] = []
    with ExitStack() as afterwards, sync_playwright() as playwright:
        afterwards.callback(sending.withdraw, from_environment(os.environ), sent)
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        for device, options in DEVICES.items():
            for theme in THEMES:
                context = browser.new_context(base_url=address, locale="en-GB", **options, color_scheme=theme)
                page = context.new_page()
                shoot = partial(_save, page, f"{device}-{theme}")
                for view in sorted(wanted, key=lambda view: view.for_admins):
                    if view.for_admins:
                        _log_in(page, login)
                    _open(page, view)
                    shoot(view.name)
                if receipts:
                    sent.append(sending.visit(page, _document(address), LOCALE, shoot))
                context.close()
                say(f"  {device}, {theme}")
        browser.close()


def _open(page: Any, view: View) -> None:
    # Leave the page first: a change of the fragment alone loads nothing.
    page.goto("about:blank")
    answer = page.goto(view.path, wait_until="networkidle")
    if answer.status != view.status:
        raise Failure(f"{view.path} answered {answer.status}.")
    if page.locator("#map").count():
        page.wait_for_selector("#map[data-state=drawn]")
        page.wait_for_load_state("networkidle")
    view.act(page)


def _save(page: Any, kind: str, name: str) -> None:
    from PIL import Image

    with Image.open(BytesIO(page.screenshot(animations="disabled"))) as picture:
        picture.save(FOLDER / f"{name}-{kind}.webp", "WEBP", quality=QUALITY, method=6)


def _document(address: str) -> str:
    """Return a document with new coordinates of a creature in the largest zone."""
    api = f"{address}/api/v1/{LOCALE}"
    zone = _largest(_json(f"{api}/zones?limit=1000")["zones"])
    mobs = _json(f"{api}/zones/{zone['id']}/mobs?limit=1000")["mobs"]
    # Ids from 2**31 on stand for creatures known only by their names.
    mob = max((one for one in mobs if one["min"] and one["id"] < 2**31), key=lambda one: one["positions"])
    known = _json(f"{api}/mobs/{mob['id']}/positions?zone={zone['id']}&floor=0")["features"]
    return sending.document(zone, mob, [feature["geometry"]["coordinates"] for feature in known], random.Random())


def _log_in(page: Any, login: Path) -> None:
    """Log in with the name and password in a file, one per line; do nothing if already logged in."""
    try:
        name, password = login.read_text(encoding="utf-8").split()
    except OSError as error:
        raise Failure(f"{login} could not be read: {error}. Give a file with an admin's login with --admin.") from error
    page.goto("/admin/login/?next=/admin/")
    if page.locator("#id_password").count():
        page.locator("#id_username").fill(name)
        page.locator("#id_password").fill(password)
        page.locator("[type=submit]").click()
        page.wait_for_url("**/admin/")


def _open_first_dot(page: Any) -> None:
    """Open the details of the creature's first spawn point, by its entry in the list."""
    page.locator("#mobs li:has(input:checked) .unfold").click()
    page.locator(".point-list button").first.click()
    page.get_by_text("drawn around it").wait_for()
    # The map moves until the whole popup is visible.
    page.locator(".leaflet-pan-anim").wait_for(state="detached")


def _open_first_document(page: Any) -> None:
    page.locator("#result_list tbody th a").first.click()
    page.get_by_role("link", name="raw document").click()
    page.locator("pre.document").wait_for()


def _search(text: str) -> Callable[[Any], None]:
    def type_text(page: Any) -> None:
        page.locator("#search").press_sequentially(text)
        page.get_by_role("option").first.wait_for()

    return type_text


def _running() -> str | None:
    """Return the address of the site started in this checkout, if there is one."""
    file = CHECKOUT / "var" / "address"
    return file.read_text(encoding="utf-8").strip() if file.exists() else None


def _json(url: str) -> Any:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)
    except (urllib.error.URLError, TimeoutError) as error:
        raise Failure(f"{url} could not be read: {error}. Is the site running?") from error
