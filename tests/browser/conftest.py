"""A browser and a filled site for the tests of whole page flows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect
from pytest_django.live_server_helper import LiveServer

#: Playwright's own loop runs in the test's thread; Django would take the test's set-up for async code.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

CHROMIUM = Path("/usr/bin/chromium")
QUIET = [
    "--no-sandbox",  # Chromium's sandbox can't run as root
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

#: Tests say what is shown, `bench/run map` how soon: whatever else runs on this machine must not fail one.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)

OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    return {"executable_path": str(CHROMIUM), "args": QUIET}


@pytest.fixture(autouse=True)
def static_files(settings, static_as_served: Path) -> None:
    """Have the live server hand out what a site does: scripts joined, under hashed names.

    Besides, each module as it is written (`/static/as-written/js/…`), for tests that ask one for an answer.
    """
    settings.STATIC_ROOT = str(static_as_served)
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATICFILES_DIRS = [static_as_served, ("as-written", settings.BASE_DIR / "static")]


@pytest.fixture
def context_options() -> dict[str, Any]:
    """Options of the browser's context; tests override them by parametrizing."""
    return {"locale": "en-GB", "viewport": {"width": 1280, "height": 900}}


@pytest.fixture
def site(live_server: LiveServer) -> str:
    return live_server.url


@pytest.fixture
def complaints() -> list[str]:
    """Everything the browser complained about: errors, and violations of the security policy."""
    return []


@pytest.fixture
def page(browser, site: str, complaints: list[str], context_options: dict[str, Any]) -> Iterator[Page]:
    """A page whose console must stay clean to the end of the test."""
    context: BrowserContext = browser.new_context(base_url=site, **context_options)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    yield page
    context.close()
    assert complaints == []
