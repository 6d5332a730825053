"""The receipt page: which steps an upload has taken, and what it contributed."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from ingest.models import LocaleControl, Upload
from portal.operations import status
from tests.portal import rows

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_static_files")]

CONTRIBUTION = {"new_mobs": 0, "new_positions": 0, "confirmed_positions": 0, "new_drops": 0}


def page(client, upload: Upload, language: str = "en") -> str:
    response = client.get(f"/uploads/{upload.id}", headers={"Accept-Language": language})
    assert response.status_code == 200
    return response.content.decode()


def steps(html: str) -> list[str]:
    return re.findall(r'<li(?: class="\w+")?><strong>(\w[\w ]+)</strong>', html)


def test_an_upload_that_was_merged_at_once_shows_no_empty_step(client):
    upload = rows.upload(status="merged", merged_at=timezone.now(), contribution=CONTRIBUTION)
    html = page(client, upload)
    assert steps(html) == ["Accepted", "On the map"]
    assert html.count(" UTC</time>") == 2


def test_an_upload_that_was_staged_first_shows_when(client):
    upload = rows.upload(status="staged", staged_at=timezone.now())
    html = page(client, upload)
    assert steps(html) == ["Accepted", "Read", "On the map"]
    assert html.count('<li class="done">') == 2


@pytest.mark.parametrize(
    ("status", "last"), [("queued", "On the map"), ("rejected", "Rejected"), ("withdrawn", "Withdrawn")]
)
def test_other_uploads_show_their_last_or_next_step(client, status, last):
    assert steps(page(client, rows.upload(status=status))) == ["Accepted", last]


def test_the_receipt_of_a_waiting_upload_says_that_merging_is_paused_and_why(client):
    LocaleControl.objects.create(locale="deDE", work_paused=True, note="New map <soon>")
    html = page(client, rows.upload(status="queued"))
    assert "Merging is paused at the moment." in html
    assert "<bdi>New map &lt;soon&gt;</bdi>" in html
    assert "paused" not in page(client, rows.upload(status="merged", contribution=CONTRIBUTION))


def test_the_length_of_a_long_queue_is_shown_with_the_time_it_takes(client, monkeypatch):
    busy = status.LocaleFigures(queued=1300, staged=20, merged_last_minute=300, oldest_age_s=70)
    monkeypatch.setattr(status, "figures", lambda: {"deDE": busy})
    assert "1,320 uploads are waiting here. At the current rate this takes about 4 minutes." in page(
        client, rows.upload(status="queued")
    )
    short = status.LocaleFigures(queued=3, merged_last_minute=300)
    # The pace of a minute in which there was hardly anything to do says nothing about what has just arrived.
    surge = status.LocaleFigures(queued=100, staged=1400, merged_last_minute=11, oldest_age_s=2)
    lone = status.LocaleFigures(staged=1, merged_last_minute=1)
    for one in (short, surge, lone):
        monkeypatch.setattr(status, "figures", partial(dict, deDE=one))
        assert "current rate" not in page(client, rows.upload(status="queued"))


@pytest.mark.parametrize(
    ("contribution", "english", "german"),
    [
        ({"new_positions": 1}, "Your 1 new dot is on the map.", "Dein 1 neuer Punkt ist auf der Karte."),
        ({"new_positions": 1200}, "Your 1,200 new dots are", "Deine 1.200 neuen Punkte sind"),
        ({"confirmed_positions": 3}, "Its positions were known already.", "Seine Positionen waren schon bekannt."),
        ({}, "It has no position to draw.", "Er enthielt keine Position zum Zeichnen."),
    ],
)
def test_a_merged_upload_shows_its_contribution(client, contribution, english, german):
    upload = rows.upload(status="merged", merged_at=timezone.now(), contribution=CONTRIBUTION | contribution)
    assert english in page(client, upload)
    assert german in page(client, upload, "de")


@pytest.mark.parametrize(
    ("status", "language", "said", "stays"),
    [
        ("merged", "en", "The document itself was deleted after 30 days.", "Its contribution stays on the map."),
        ("merged", "de", "Das Dokument selbst wurde nach 30 Tagen gelöscht.", "bleibt auf der Karte."),
        ("withdrawn", "en", "The document itself was deleted after 30 days.", None),
    ],
)
def test_a_receipt_says_when_its_document_was_deleted(client, status, language, said, stays):
    received = timezone.now() - timedelta(days=40)
    upload = rows.upload(status=status, contribution=CONTRIBUTION, received_at=received, document_name="")
    assert said not in page(client, upload, language)
    Upload.objects.update(expired_at=received + timedelta(days=30, hours=1))
    html = page(client, upload, language)
    assert said in html
    assert (stays in html) if stays else ("stays on the map" not in html)


def test_a_rejected_upload_says_why_in_a_paragraph_of_its_own(client):
    upload = rows.upload(status="rejected", rejected_at=timezone.now(), reason="It could not be merged: <torn>.")
    html = page(client, upload, "de")
    assert re.search(
        r'<p id="outcome">[^<]+</p>\s+<p lang="en"><bdi>It could not be merged: &lt;torn&gt;\.</bdi></p>', html
    )
