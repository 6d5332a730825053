"""Pages that are come to by doing something are accessible too: what opens, what was sent, the admin's, failures."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Permission, User
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from ingest.intake import spool
from ingest.models import LocaleControl
from maps import queries
from portal import accounts
from portal.models import Player, Refusal
from tests.browser import world
from tests.browser.accessible import findings
from tests.browser.test_everywhere import DESKTOP, PHONE
from tests.browser.test_upload import BAD, GOOD, cards
from tests.portal import rows

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases="__all__"),
    pytest.mark.parametrize(
        "context_options",
        [
            {"viewport": DESKTOP, "color_scheme": "light", "locale": "en-GB"},
            {"viewport": PHONE, "color_scheme": "dark", "locale": "de-DE"},
        ],
        ids=["desktop, English", "phone, German"],
    ),
]

CONTRIBUTION = {"new_mobs": 1, "new_positions": 2, "confirmed_positions": 0, "new_drops": 0}


@pytest.fixture(autouse=True)
def own_temporary_folder(settings, tmp_path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)


@pytest.fixture
def answered(complaints: list[str]) -> Iterator[None]:
    """Let the browser complain of pages that are answered with a failure, and of nothing else."""
    yield
    assert all("Failed to load resource" in text for text in complaints)
    complaints.clear()


def look(page: Page, *paths: str, apart_from: tuple[str, ...] = ()) -> None:
    """Open pages and expect them to be accessible."""
    found = {}
    for path in paths:
        page.goto(path)
        found |= {path: faults} if (faults := findings(page, apart_from)) else {}
    assert found == {}


def log_in(page: Page, site: str, user: User) -> None:
    client = Client()
    client.force_login(user)
    page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}])


def test_what_opens_on_a_zones_page_is_accessible(page):
    zone = world.fill()
    page.goto(f"/enUS/zones/{zone}#colours=level&gathering=herb")
    expect(page.locator("#map")).to_have_attribute("data-state", "drawn")
    page.locator("#more-filters > summary").click()
    expect(page.locator("#filter-since")).to_be_visible()
    assert findings(page) == []
    page.locator("#mobs .unfold").first.click()
    page.locator(".point-list button").first.click()
    expect(page.locator(".leaflet-popup-content dl")).to_be_visible()
    expect(page.locator(".leaflet-pan-anim")).to_have_count(0)
    assert findings(page) == []
    page.keyboard.press("Escape")
    page.locator("#share > summary").click()
    expect(page.locator("#share-link")).to_be_visible()
    assert findings(page) == []
    page.locator(".top .menu summary").last.click()
    expect(page.locator(".top .menu[open]")).to_have_count(1)
    assert findings(page) == []


def test_what_was_sent_is_accessible_taken_or_refused(page, answered):
    page.goto("/upload")
    zones = '<Zone name="Thousand Needles" level="0">121.6/33,</Zone>' * 5
    files = [("good.xml", GOOD), ("bad.xml", GOOD.replace("</Mob>", zones + "</Mob>"))]
    page.locator("#files").set_input_files(
        [{"name": name, "mimeType": "text/plain", "buffer": text.encode()} for name, text in files]
    )
    expect(cards(page)).to_have_count(2)
    expect(page.locator('[data-state="queued"]')).to_be_visible()
    page.locator('[data-state="refused"] summary').click()
    assert findings(page) == []
    page.locator("#text").fill(BAD)
    page.evaluate("document.querySelector('#upload').submit()")
    expect(page.locator("ul.sendings .errors")).to_be_visible()
    assert findings(page) == []


def test_receipts_are_accessible(page):
    now = timezone.now()
    uploads = [
        rows.upload(locale="enUS", ignored={"Merchant": 3}),
        rows.upload(locale="enUS", status="merged", merged_at=now, contribution=CONTRIBUTION),
        rows.upload(locale="enUS", status="rejected", rejected_at=now, reason="Unreadable."),
    ]
    look(page, *(f"/uploads/{upload.id}" for upload in uploads))


def test_the_admins_pages_are_accessible(page, site):
    look(page, "/admin/login/")
    document = spool.document_name("0badcafe-0000-4000-8000-000000000000")
    spool.put(spool.spool(), document, io.BytesIO(GOOD.encode()))
    upload = rows.upload(locale="enUS", document_name=document, file_name="a.xml", reason="Away.", attempts=2)
    accounts.issue("Anna")
    player = Player.objects.get()
    LocaleControl.objects.create(locale="deDE", intake_paused=True, note="Back at noon")  # a colour of its own
    refusal = Refusal.objects.create(
        refused_at=timezone.now(),
        sender=player.sender,
        status_code=422,
        code="invalid-document",
        detail="The document breaks rules.",
        errors=[{"where": "line 3", "code": "number", "message": "121.6 is too large."}],
    )
    log_in(page, site, User.objects.create_superuser("admin"))
    look(
        page,
        "/admin/",
        "/admin/queues/",
        "/admin/ingest/upload/",
        f"/admin/ingest/upload/{upload.pk}/change/",
        f"/admin/ingest/upload/{upload.pk}/document/",
        "/admin/portal/refusal/",
        f"/admin/portal/refusal/{refusal.pk}/change/",
        "/admin/portal/player/",
        f"/admin/portal/player/{player.pk}/change/",
        f"/admin/portal/player/{player.pk}/token/",
        # Django's search box is labelled by a picture, which axe takes for no label.
        apart_from=("label-title-only",),
    )


def test_failures_are_accessible(page, site, answered, monkeypatch):
    look(page, "/nowhere")
    staff = User.objects.create_user("staff", is_staff=True)
    staff.user_permissions.set(Permission.objects.filter(codename="view_player"))
    log_in(page, site, staff)
    look(page, "/admin/queues/")
    monkeypatch.setattr(queries, "zone_map", lambda *_: 1 / 0)
    look(page, "/enUS/zones/1")

    def away(*_: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(queries, "zone_map", away)
    look(page, "/enUS/zones/1")
    # A form whose protection is gone.
    page.goto("/about")
    page.context.clear_cookies()
    page.locator(".top .menu summary").last.click()
    page.locator(".top .menu[open] button[name=language]").first.click()
    expect(page.locator(".failure")).to_be_visible()
    assert findings(page) == []
