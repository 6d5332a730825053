"""What axe finds serious on a page, in both appearances."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = {"serious", "critical"}
#: Without preloading: it writes imported styles into a document of axe's own, which the security policy forbids.
ALL = {"resultTypes": ["violations"], "preload": False}
#: Of all rules the one that another appearance may break.
COLOURS = ALL | {"runOnly": ["color-contrast"]}
#: What fades is hard to read while it does.
STAND_STILL = "Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})))"


def findings(page: Page, apart_from: Collection[str] = ()) -> list[str]:
    """Return what axe finds serious, as the page is shown and in the other of light and dark: `rule: selector`."""
    page.evaluate(STAND_STILL)
    found = _serious(Axe().run(page, options=ALL).response, apart_from)
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    shown: Literal["light", "dark"] = "dark" if dark else "light"
    page.emulate_media(color_scheme="light" if dark else "dark")
    page.evaluate(STAND_STILL)
    other = _serious(page.evaluate("(options) => axe.run(document, options)", COLOURS), apart_from)
    page.emulate_media(color_scheme=shown)
    return found + [f"in the other appearance, {one}" for one in other]


def _serious(response: dict[str, Any], apart_from: Collection[str]) -> list[str]:
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in response["violations"]
        if violation["impact"] in SERIOUS and violation["id"] not in apart_from
        for node in violation["nodes"]
    ]
