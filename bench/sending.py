"""Screenshots of what senders see: an upload that is refused, one that is accepted and staged, and its receipt.

Only for a site started in this checkout, because it sends uploads; `withdraw` removes them afterwards.
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
#: Largest distance per axis of a new position from a known one, in tenths of a percent.
NEAR = 15
PATIENCE_S = 60

Shoot = Callable[[str], None]


def document(zone: dict[str, Any], mob: dict[str, Any], known: list[list[float]], rng: random.Random) -> str:
    """Return a document (version 44) with `NEW_DOTS` new positions of a creature.

    `zone` and `mob` are from `GET zones` and `GET zones/{id}/mobs`; `known` holds `[x, y]` in percent.
    """
    known_tenths = {(round(x * 10), round(y * 10)) for x, y in known}
    new: set[tuple[int, int]] = set()
    while len(new) < NEW_DOTS:
        x, y = rng.choice(sorted(known_tenths))
        position = (x + rng.randint(-NEAR, NEAR), y + rng.randint(-NEAR, NEAR))
        if position not in known_tenths and all(0 <= at <= 1000 for at in position):
            new.add(position)
    today = datetime.now(UTC)
    day = (today.year - 2009) * 372 + (today.month - 1) * 31 + today.day - 1
    positions = "".join(f"{x / 10:g}/{y / 10:g}," for x, y in sorted(new))
    level = mob["min"] or 1
    return (
        '<MobMapData language="enUS" version="44" gameversion="12340|demo">\n'
        f'<Mob name={_quoted(mob["name"])} blizzid="{mob["id"]}" min="{level}" max="{level}" react="0" date="{day}">\n'
        f'<Zone name={_quoted(zone["name"])} level="0">{escape(positions)}</Zone>\n</Mob>\n</MobMapData>\n'
    )


def _quoted(name: str) -> str:
    return quoteattr(name.replace("|", "||"))


def with_faults(valid: str) -> str:
    """Return a document with several faults, each in another element."""
    faults = ((r'min="\d+"', 'min="low"'), (r'level="0">', 'level="0">133.7/40.2,'))
    for pattern, fault in faults:
        valid = re.sub(pattern, fault, valid, count=1)
    return valid


def visit(page: Any, valid: str, locale: str, shoot: Shoot) -> str:
    """Send a document as a visitor does, take images of each step, and return the accepted upload's id."""
    page.goto("/upload", wait_until="networkidle")
    with block_folds(locale):
        _send(page, with_faults(valid))
        page.locator(".sending.bad .errors").first.wait_for()
        _send(page, valid)
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
def block_folds(locale: str) -> Iterator[None]:
    """Prevent folds of a locale until the block ends: uploads are staged too shortly for a screenshot."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    # The browser's driver runs an event loop in this thread, which Django takes for async code.
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
    raise Failure(f"Folds of {locale} took all of {PATIENCE_S} s. Wait until the queue is empty.")


def withdraw(place: SiteFolders, uploads: list[str]) -> None:
    """Withdraw uploads."""
    if not uploads:
        return
    named = [part for upload in uploads for part in ("--upload", upload)]
    with step(f"Withdrawing the {len(uploads)} uploads that were sent for screenshots"):
        site.manage(place, "withdraw", "--yes", *named)
