"""The queue page shows what waits, what is broken and why, and pauses locales."""

from __future__ import annotations

import re
import time
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.utils import timezone

from core import time_limited
from ingest.models import LocaleControl
from maps.models import StaleFile, StaleSpawns
from portal.models import Refusal
from portal.operations import health, queues
from tests.conftest import ALL_DATABASES
from tests.portal import rows

pytestmark = ALL_DATABASES


@pytest.fixture(autouse=True)
def surroundings(settings):
    """A broker that does not answer, and static files without hashes in their names."""
    settings.BROKER_URL = "amqp://someone:secret@127.0.0.1:1//"
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


def figures(client) -> dict:
    time_limited.clear_all()
    response = client.get("/admin/queues/figures.json")
    assert response.status_code == 200
    return response.json()


def test_the_page_and_its_refresh_show_the_same_figures(admin_client):
    rows.upload(received_at=timezone.now() - timedelta(hours=1, minutes=5))
    rows.upload(claimed_by="x", lease_until=timezone.now() + timedelta(minutes=1))
    rows.upload(attempts=3, reason="<b>the disk was full</b>")
    for _ in range(1234):
        rows.upload(status="merged", merged_at=timezone.now() - timedelta(minutes=20))
    rows.upload(status="merged", merged_at=timezone.now() - timedelta(seconds=20))
    StaleSpawns.objects.using("map_deDE").create(mob=1, zone=1)
    since = timezone.now() - timedelta(hours=2)
    StaleFile.objects.using("map_deDE").create(kind="mob", number=1, since=since)
    shown = {key: cell["text"] for key, cell in figures(admin_client)["cells"].items()}
    expected = {
        "deDE.waiting": "2",
        "deDE.claimed": "1",
        "deDE.failing": "1",
        "deDE.merged": "1,235",
        "deDE.minute": "1",
        "deDE.hour": "1,235",
        "deDE.oldest": "1 h 5 min",
        "deDE.rate": "0.02 per s",
        "deDE.wait": "3 min 0 s",
        "deDE.unpublished": "1",
        "deDE.documents": "1",
        "deDE.document-age": "2 h 0 min",
        "deDE.control": "running",
        "enUS.waiting": "0",
        "enUS.oldest": "–",
        "part.broker": "It does not answer (ConnectionRefusedError).",
        "part.database deDE": "works",
        "part.spool": "works",
        "workers": "none answered",
        "ingest.deDE.messages": "–",
    }
    assert {key: shown[key] for key in expected} == expected
    page = admin_client.get("/admin/queues/").content.decode()
    for key, text in shown.items():
        assert f'data-cell="{key}"' in page, key
        assert text in page, key
    assert "&lt;b&gt;the disk was full&lt;/b&gt;" in page
    assert "secret" not in page
    assert "<script>" not in page
    assert "style=" not in page


def test_trouble_is_marked(admin_client):
    rows.upload(attempts=3, reason="the disk was full", received_at=timezone.now() - timedelta(hours=1))
    cells = figures(admin_client)["cells"]
    states = {
        name: cells[name]["state"] for name in ("deDE.failing", "deDE.oldest", "deDE.wait", "part.broker", "workers")
    }
    assert states == {
        "deDE.failing": "bad",
        "deDE.oldest": "warn",
        "deDE.wait": "warn",
        "part.broker": "warn",
        "workers": "bad",
    }


def test_parts_and_their_failures_are_in_the_language_of_the_page(admin_client):
    figures(admin_client)  # in English, a moment before
    page = admin_client.get("/admin/queues/", headers={"Accept-Language": "de"}).content.decode()
    named = re.findall(r'<dt>([^<]*)</dt><dd data-cell="(?:part\.[^"]*|workers)"', page)
    databases = {"Datenbank portal", "Datenbank deDE", "Datenbank enUS"}
    assert set(named) == databases | {"Broker", "RAM-Zwischenlager", "Spool", "Worker"}
    assert "(ConnectionRefusedError)" in page
    assert "It does not answer" not in page


def test_missing_workers_are_no_alarm_while_the_site_starts(admin_client, monkeypatch):
    monkeypatch.setattr(health, "ask_broker", lambda: health.Broker(queues={"ingest.deDE": health.Queue(0, 0)}))
    started_s = time.monotonic() - 12.5
    monkeypatch.setattr(health, "server_started_s", started_s)
    early = figures(admin_client)["cells"]
    shown = re.fullmatch(r"none yet, the site started (\d+) s ago", early["workers"]["text"])
    assert shown
    assert 12 <= int(shown[1]) <= time.monotonic() - started_s
    assert early["workers"]["state"] == ""
    assert early["ingest.deDE.consumers"] == {"text": "0", "state": ""}
    monkeypatch.setattr(health, "server_started_s", time.monotonic() - health.WORKERS_START_S)
    late = figures(admin_client)["cells"]
    assert late["workers"] == {"text": "none answered", "state": "bad"}
    assert late["ingest.deDE.consumers"]["state"] == "warn"


def test_a_starting_site_does_not_excuse_a_dead_broker(admin_client, monkeypatch):
    monkeypatch.setattr(health, "server_started_s", time.monotonic())
    assert figures(admin_client)["cells"]["workers"] == {"text": "none answered", "state": "bad"}


def test_the_newest_refusals_are_shown_with_their_reasons(admin_client):
    for age in range(20):
        Refusal.objects.create(
            refused_at=timezone.now() - timedelta(minutes=age),
            sender="network:x",
            file_name=f"{age}.xml",
            status_code=422,
            code="not-valid",
            detail="<script>alert(1)</script>",
        )
    refusals = figures(admin_client)["tables"]["refusals"]
    assert [row["file"] for row in refusals] == [f"{age}.xml" for age in range(15)]
    assert refusals[0]["detail"] == "<script>alert(1)</script>"
    assert "<script>alert(1)" not in admin_client.get("/admin/queues/").content.decode()


def test_a_dead_broker_does_not_delay_the_page(admin_client):
    started = time.monotonic()
    assert admin_client.get("/admin/queues/").status_code == 200
    assert time.monotonic() - started < 60


def test_intake_and_work_are_paused_and_resumed(admin_client):
    url = "/admin/queues/deDE/"
    page = admin_client.post(url, {"switch": "intake-1", "note": " Back at noon "}, follow=True).content.decode()
    assert "The intake of deDE is paused" in page
    assert "intake paused: Back at noon" in page
    assert figures(admin_client)["cells"]["deDE.control"] == {"text": "intake paused: Back at noon", "state": "warn"}
    admin_client.post(url, {"switch": "work-1", "note": ""})
    control = LocaleControl.objects.get()
    assert (control.intake_paused, control.work_paused, control.note) == (True, True, "Back at noon")
    admin_client.post(url, {"switch": "intake-0"})
    admin_client.post(url, {"switch": "work-0"})
    control.refresh_from_db()
    assert (control.intake_paused, control.work_paused, control.note) == (False, False, "")
    assert LogEntry.objects.count() == 4


@pytest.mark.parametrize(
    ("url", "data"),
    [
        ("/admin/queues/frFR/", {"switch": "work-1"}),
        ("/admin/queues/deDE/", {"switch": "everything-1"}),
        ("/admin/queues/deDE/", {"switch": "work-2"}),
        ("/admin/queues/deDE/", {}),
    ],
)
def test_unknown_switches_are_refused(admin_client, url, data):
    assert admin_client.post(url, data).status_code == 404
    assert not LocaleControl.objects.exists()


def test_pausing_needs_a_post_with_its_token(admin_user, admin_client):
    from django.test import Client

    careful = Client(enforce_csrf_checks=True)
    careful.force_login(admin_user)
    assert careful.post("/admin/queues/deDE/", {"switch": "work-1"}).status_code == 403
    assert admin_client.get("/admin/queues/deDE/").status_code == 405
    assert not LocaleControl.objects.exists()


def test_permissions_are_respected(client):
    user = User.objects.create_user("staff", is_staff=True)
    client.force_login(user)
    assert "/admin/queues/" not in client.get("/admin/").content.decode()
    assert client.get("/admin/queues/").status_code == 403
    assert client.get("/admin/queues/figures.json").status_code == 403
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_upload"]))
    client.force_login(User.objects.get(pk=user.pk))
    assert "/admin/queues/" in client.get("/admin/").content.decode()
    page = client.get("/admin/queues/").content.decode()
    assert "Pause" not in page
    assert "Newest refusals" not in page
    assert client.post("/admin/queues/deDE/", {"switch": "work-1"}).status_code == 403


def test_anonymous_visitors_are_sent_to_the_login(client):
    for url in ("/admin/queues/", "/admin/queues/figures.json"):
        response = client.get(url)
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.9, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (4 * 86400 + 3600, "4 d 1 h")],
)
def test_durations_are_shown_in_their_two_largest_units(seconds, text):
    assert queues.duration(seconds) == text


def test_the_chart_scales_to_its_highest_minute():
    assert queues.chart((0, 2, 1)) == "0.0,24.0 60.0,0.0 120.0,12.0"
    assert queues.chart(()) == queues.chart((0, 0)) == "0,24 120,24"


def test_uploads_rejected_by_merging_are_listed_after_those_tried_again(admin_client):
    aside = rows.upload(
        status="rejected", quarantine_step=8, rejected_at=timezone.now(), reason="It could not be merged. No."
    )
    failing = rows.upload(attempts=1, reason="the disk was full")
    rows.upload(status="rejected", rejected_at=timezone.now(), reason="unreadable")
    listed = figures(admin_client)["tables"]["failing"]
    assert [(row["id"], row["detail"]) for row in listed] == [
        (str(failing.pk), "the disk was full"),
        (str(aside.pk), "It could not be merged. No."),
    ]
