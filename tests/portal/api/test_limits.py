"""How much one sender may send, and when the site accepts nothing at all."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from core import time_limited
from ingest.models import LocaleControl
from ingest.problems import IntakePaused, SpoolFull, TooManyUploads
from portal.api import limits
from portal.models import Refusal
from tests.portal.rows import upload

pytestmark = pytest.mark.django_db


def refuse(sender: str, **values: object) -> None:
    Refusal.objects.create(refused_at=timezone.now(), sender=sender, status_code=422, code="x", detail="x", **values)


def test_a_sender_may_send_up_to_their_limit_within_an_hour(settings):
    settings.PLAYER_UPLOADS_PER_HOUR = 3
    for _ in range(3):
        limits.check_sender("player:1")
    with pytest.raises(TooManyUploads) as refused:
        limits.check_sender("player:1")
    assert refused.value.retry_after_s
    limits.check_sender("player:2")


def test_networks_have_a_limit_of_their_own(settings):
    settings.PLAYER_UPLOADS_PER_HOUR, settings.ANONYMOUS_UPLOADS_PER_HOUR = 5, 1
    limits.check_sender("network:a")
    with pytest.raises(TooManyUploads):
        limits.check_sender("network:a")


def test_what_other_processes_accepted_or_refused_counts_too(settings):
    settings.PLAYER_UPLOADS_PER_HOUR = 3
    upload(sender="player:1")
    refuse("player:1")
    limits.check_sender("player:1")
    with pytest.raises(TooManyUploads):
        limits.check_sender("player:1")


def test_what_is_older_than_an_hour_does_not_count(settings):
    settings.PLAYER_UPLOADS_PER_HOUR = 1
    upload(sender="player:1", received_at=timezone.now() - timedelta(minutes=61))
    limits.check_sender("player:1")


def test_files_of_one_form_count_each(settings):
    settings.PLAYER_UPLOADS_PER_HOUR = 3
    with pytest.raises(TooManyUploads):
        limits.check_sender("player:1", 4)


def test_of_many_senders_only_the_most_recent_ones_are_kept(monkeypatch):
    monkeypatch.setattr(limits.sender_counts._counters, "max_entries", 2)
    for number in range(5):
        limits.sender_counts.add(f"player:{number}")
    assert limits.sender_counts._counters.keys() == ["player:3", "player:4"]


def test_intake_is_open_while_one_locale_is(settings):
    LocaleControl.objects.create(locale="deDE", intake_paused=True)
    paused = limits.check_intake()
    limits.check_locale(paused, "enUS")
    with pytest.raises(IntakePaused, match="for deDE are paused"):
        limits.check_locale(paused, "deDE")
    LocaleControl.objects.create(locale="enUS", intake_paused=True, note="New disks come in today.")
    time_limited.clear_all()
    with pytest.raises(IntakePaused, match=r"New disks come in today\.") as refused:
        limits.check_intake()
    assert refused.value.retry_after_s


def test_a_pause_of_merging_stops_no_upload():
    LocaleControl.objects.create(locale="deDE", work_paused=True)
    limits.check_locale(limits.check_intake(), "deDE")


def test_a_pause_is_cached_for_a_moment_and_not_for_longer(django_assert_num_queries, monkeypatch):
    began = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: began)
    limits.check_intake()
    with django_assert_num_queries(0):
        limits.check_intake()
    monkeypatch.setattr(time, "monotonic", lambda: began + limits.INTAKE_KEPT_S + 0.1)
    with django_assert_num_queries(1):
        limits.check_intake()


def test_too_little_free_space_stops_intake(settings):
    settings.SPOOL_MIN_FREE_BYTES = 1 << 60
    with pytest.raises(SpoolFull, match="disk for uploads is full") as refused:
        limits.check_intake()
    assert refused.value.retry_after_s


def test_too_much_waiting_stops_intake_until_it_is_merged(settings):
    settings.SPOOL_MAX_WAITING_BYTES = 1_500
    row = upload(size_bytes=1_000)
    limits.check_intake()
    time_limited.clear_all()
    upload(size_bytes=1_000)
    with pytest.raises(SpoolFull, match="waiting to be merged"):
        limits.check_intake()
    type(row).objects.filter(id=row.id).update(status="staged")
    time_limited.clear_all()
    with pytest.raises(SpoolFull, match="waiting to be merged"):
        limits.check_intake()
    type(row).objects.filter(id=row.id).update(status="merged")
    time_limited.clear_all()
    limits.check_intake()
