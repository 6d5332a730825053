"""What senders see, as pictures: notes refused for their reasons, notes taken and read, notes on the map.

For a site started in this checkout only, because it is sent to: what it took is withdrawn again afterwards.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from deploy.steps import site
from deploy.steps.folders import SiteFolders
from deploy.steps.progress import Failure, step

NEW_DOTS = 41
#: How far from a known position a new one is invented, in tenths of a percent.
NEAR = 15
PATIENCE_S = 60

Shoot = Callable[[str], None]


def notes(zone: dict[str, Any], mob: dict[str, Any], known: list[list[float]], chance: random.Random) -> str:
    """Return a document (version 44) that brings `NEW_DOTS` positions of a creature which the map does not know yet.

    `zone` and `mob` are as `GET zones` and `GET zones/{id}/mobs` tell them, `known` are `[x, y]` in percent.
    """
    taken = {(round(x * 10), round(y * 10)) for x, y in known}
    new: set[tuple[int, int]] = set()
    while len(new) < NEW_DOTS:
        x, y = chance.choice(sorted(taken))
        place = (x + chance.randint(-NEAR, NEAR), y + chance.randint(-NEAR, NEAR))
        if place not in taken and all(0 <= at <= 1000 for at in place):
            new.add(place)
    today = datetime.now(UTC)
    day = (today.year - 2009) * 372 + (today.month - 1) * 31 + today.day - 1
    places = "".join(f"{x / 10:g}/{y / 10:g}," for x, y in sorted(new))
    level = mob["min"] or 1
    return (
        '<MobMapData language="enUS" version="44" gameversion="12340|demo">\n'
        f'<Mob name={_quoted(mob["name"])} blizzid="{mob["id"]}" min="{level}" max="{level}" react="0" date="{day}">\n'
        f'<Zone name={_quoted(zone["name"])} level="0">{escape(places)}</Zone>\n</Mob>\n</MobMapData>\n'
    )


def _quoted(name: str) -> str:
    return quoteattr(name.replace("|", "||"))


def spoilt(good: str) -> str:
    """Return notes with several faults at places of their own."""
    faults = ((r'min="\d+"', 'min="low"'), (r'level="0">', 'level="0">133.7/40.2,'))
    for pattern, fault in faults:
        good = re.sub(pattern, fault, good, count=1)
    return good


def visit(page: Any, good: str, locale: str, shoot: Shoot) -> str:
    """Send notes as a visitor does, have pictures taken on the way, and return the accepted upload's id."""
    page.goto("/upload", wait_until="networkidle")
    with held_folds(locale):
        _send(page, spoilt(good))
        page.locator(".sending.bad .errors").first.wait_for()
        _send(page, good)
        page.locator(".sending[data-state=staged]").wait_for(timeout=PATIENCE_S * 1000)
        page.locator("#sendings").scroll_into_view_if_needed()
        shoot("upload-sent")
        page.locator(".sending[data-state=staged] .links a").first.click()
        page.get_by_text("about to be drawn").wait_for()
        shoot("receipt-read")
    page.locator("#receipt .facts").wait_for(timeout=PATIENCE_S * 1000)
    page.wait_for_load_state("networkidle")
    shoot("receipt")
    return str(page.url).rstrip("/").rsplit("/", 1)[-1]


def _send(page: Any, text: str) -> None:
    page.locator("#text").fill(text)
    page.locator("#send").click()


@contextmanager
def held_folds(locale: str) -> Iterator[None]:
    """Let nothing of a locale be merged meanwhile: for a picture, notes are staged for too short a time."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    # The browser's driver runs a loop of its own in this thread, which Django takes for async code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    import django

    django.setup()
    from core import locales, locks
    from core.locks import Lock

    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        with locks.held_if_free(locales.aliases()[locale], Lock.FOLD) as mine:
            if mine:
                yield
                return
        time.sleep(0.1)
    raise Failure(f"{locale} was being merged for {PATIENCE_S} s without a pause. Wait until the queue is empty.")


def withdraw(place: SiteFolders, uploads: list[str]) -> None:
    """Take the notes that were sent off the map again."""
    if not uploads:
        return
    named = [part for upload in uploads for part in ("--upload", upload)]
    with step(f"Withdrawing the {len(uploads)} uploads that were sent for the pictures"):
        site.manage(place, "withdraw", "--yes", *named)
