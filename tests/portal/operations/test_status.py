"""The figures of the queue, as `/api/v1/status` answers them."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from core import time_limited
from maps.models import StaleFile, StaleSpawns
from portal.models import Refusal
from portal.operations import status
from tests.conftest import ALL_DATABASES
from tests.portal import rows

pytestmark = pytest.mark.django_db


def ago(**span: float):
    return timezone.now() - timedelta(**span)


def test_an_empty_site_has_nothing_waiting(client):
    body = client.get("/api/v1/status").json()
    nothing = {"queued": 0, "staged": 0, "merged": 0, "oldest_age_s": 0.0, "rate_per_s": 0.0, "wait_s": 0.0}
    assert body == {
        "locales": {"enUS": nothing, "deDE": nothing},
        "totals": {"queued": 0, "staged": 0, "merged": 0},
    }


def test_uploads_are_counted_by_locale_and_state(client):
    rows.upload(received_at=ago(seconds=90))
    rows.upload(lease_until=ago(seconds=-60), claimed_by="x", attempts=1)
    rows.upload(status="staged")
    for _ in range(6):
        rows.upload(status="merged", merged_at=ago(seconds=10))
    rows.upload(status="merged", merged_at=ago(minutes=30))
    rows.upload(status="merged", merged_at=ago(days=3))
    rows.upload(status="rejected", locale="enUS")
    body = client.get("/api/v1/status").json()
    german = body["locales"]["deDE"]
    assert {name: german[name] for name in ("queued", "staged", "merged")} == {"queued": 2, "staged": 1, "merged": 8}
    assert 90 <= german["oldest_age_s"] < 150
    assert german["rate_per_s"] == 0.1
    assert german["wait_s"] == 30
    assert body["locales"]["enUS"]["queued"] == 0
    assert body["totals"] == {"queued": 2, "staged": 1, "merged": 8}


def test_claimed_and_failing_uploads_are_counted_apart():
    rows.upload(attempts=2, reason="the database was unavailable", size_bytes=10)
    rows.upload(attempts=1, lease_until=ago(seconds=-60), size_bytes=20)
    rows.upload(attempts=1, lease_until=ago(seconds=60), size_bytes=30)
    figures = status.figures()["deDE"]
    assert (figures.queued, figures.claimed, figures.failing, figures.waiting_bytes) == (3, 1, 1, 60)


def test_staged_uploads_wait_too():
    rows.upload(status="staged", received_at=ago(seconds=90), size_bytes=10)
    rows.upload(size_bytes=20)
    figures = status.figures()["deDE"]
    assert (figures.queued, figures.staged, figures.waiting_bytes) == (1, 1, 30)
    assert 90 <= figures.oldest_age_s < 150


def test_a_staged_upload_is_neither_claimed_nor_failing():
    rows.upload(status="staged", attempts=2, reason="the database was away", lease_until=ago(seconds=-60))
    figures = status.figures()["deDE"]
    assert (figures.queued, figures.claimed, figures.failing, figures.staged) == (0, 0, 0, 1)


def test_the_last_hour_is_counted_by_minute():
    rows.upload(status="merged", merged_at=ago(seconds=5))
    for _ in range(2):
        rows.upload(status="merged", merged_at=ago(seconds=65))
    rows.upload(status="merged", merged_at=ago(seconds=59 * 60 + 5))
    rows.upload(status="merged", merged_at=ago(seconds=60 * 60 + 5))
    figures = status.figures()["deDE"]
    assert figures.history == (1, *[0] * 57, 2, 1)
    assert figures.merged_last_minute == 1
    assert figures.merged_last_hour == 4


def test_the_wait_is_unknown_while_nothing_moves(client):
    rows.upload()
    assert client.get("/api/v1/status").json()["locales"]["deDE"]["wait_s"] is None


def test_the_wait_of_a_surge_is_unknown_until_it_has_a_rate_of_its_own():
    surge = status.LocaleFigures(queued=100, staged=1400, merged_last_minute=10, oldest_age_s=2)
    assert surge.wait_s is None
    assert replace(surge, oldest_age_s=60).wait_s == 9000
    assert replace(surge, merged_last_minute=3000).wait_s == 30


def test_figures_are_cached_for_a_moment(client, django_assert_num_queries, monkeypatch):
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)  # by which values expire
    client.get("/api/v1/status")
    rows.upload()
    with django_assert_num_queries(0):
        assert client.get("/api/v1/status").json()["totals"]["queued"] == 0
    time_limited.clear_all()
    assert client.get("/api/v1/status").json()["totals"]["queued"] == 1


def test_status_takes_no_other_method(client):
    response = client.post("/api/v1/status")
    assert response.status_code == 405
    assert response["Content-Type"] == "application/problem+json"


@ALL_DATABASES
def test_what_waits_for_publishing_is_counted_per_locale():
    StaleSpawns.objects.using("map_deDE").create(mob=1, zone=1)
    for number, minutes in ((1, 5), (2, 90)):
        StaleFile.objects.using("map_deDE").create(kind="mob", number=number, since=ago(minutes=minutes))
    found = status.unpublished()
    assert found["enUS"] == status.Unpublished(0, 0, 0)
    assert (found["deDE"].pairs, found["deDE"].files) == (1, 2)
    assert 5400 <= found["deDE"].oldest_age_s < 5460


def test_refusals_of_the_last_hour_are_counted_by_cause():
    for code, age in [("too-large", 5), ("too-large", 50), ("too-large", 61), ("not-well-formed", 1)]:
        Refusal.objects.create(refused_at=ago(minutes=age), sender="network:x", status_code=413, code=code, detail="…")
    assert status.refusals_last_hour() == {"not-well-formed": 1, "too-large": 2}
