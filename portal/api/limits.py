"""Limits of intake: how much one sender may send per hour, and whether the site accepts anything at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from threading import Lock
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Q, Sum
from django.utils import timezone

from core import locales
from core.time_limited import TimeLimitedCache
from ingest.intake import spool
from ingest.models import Upload
from ingest.problems import IntakePaused, SpoolFull, TooManyUploads
from portal.api.sql import load
from portal.models import Refusal

WINDOW = timedelta(hours=1)
#: Each process counts the rows of the database this often, and only its own uploads in between.
RECOUNT_S = 10
#: Senders whose counts a process keeps, some 300 bytes each.
SENDERS_KEPT = 10_000
#: How old the sum of waiting bytes may be: it reads all queued uploads.
WAITING_KEPT_S = 5.0
#: How old the answers may be whether intake is paused and how much space is free.
INTAKE_KEPT_S = 1.0
RETRY_PAUSED_S = 300
RETRY_FULL_S = 120
_PAUSED = load("paused_intake.sql")


@dataclass
class _Counter:
    count: int


class SenderCounts:
    """Counts per sender of the documents of the last hour, refused ones included."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counters: TimeLimitedCache[str, _Counter] = TimeLimitedCache(max_entries=SENDERS_KEPT)

    def add(self, sender: str, documents: int = 1) -> int:
        """Count documents of a sender and return their number within the hour."""
        counter = self._counters.get(sender, lambda: _Counter(_count_in_database(sender)), RECOUNT_S)
        with self._lock:
            counter.count += documents
            return counter.count


def _count_in_database(sender: str) -> int:
    since = timezone.now() - WINDOW
    return (
        Upload.objects.filter(sender=sender, received_at__gt=since).count()
        + Refusal.objects.filter(sender=sender, refused_at__gt=since).count()
    )


def _find_paused() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(_PAUSED)
        return {locale: note for locale, note in cursor.fetchall() if locale in locales.hosted()}


def _find_waiting_bytes() -> int:
    # A staged document stays in the spool until it is merged. OR, because IN would use neither partial index.
    waiting = Upload.objects.filter(Q(status=Upload.Status.QUEUED) | Q(status=Upload.Status.STAGED))
    return int(waiting.aggregate(total=Sum("size_bytes"))["total"] or 0)


sender_counts = SenderCounts()
_intake: TimeLimitedCache[str, Any] = TimeLimitedCache()


def per_hour(sender: str) -> int:
    """Return how many documents per hour a sender may send."""
    anonymous = sender.startswith("network:")
    return settings.ANONYMOUS_UPLOADS_PER_HOUR if anonymous else settings.PLAYER_UPLOADS_PER_HOUR


def check_sender(sender: str, documents: int = 1) -> None:
    """Count documents against a sender's limit; raises `TooManyUploads`."""
    if sender_counts.add(sender, documents) > per_hour(sender):
        raise TooManyUploads(
            f"More than {per_hour(sender):,} uploads came from this sender within an hour. Nothing was accepted; "
            "wait some minutes, or ask for a token, which allows more.",
            retry_after_s=600,
        )


def check_intake() -> dict[str, str]:
    """Return the locales that accept no uploads now, each with its note, for `check_locale`.

    A pause takes effect within a second. Raises `IntakePaused` or `SpoolFull` when the site accepts no upload at all.
    """
    paused: dict[str, str] = _intake.get("paused", _find_paused, INTAKE_KEPT_S)
    if len(paused) == len(locales.hosted()):
        raise IntakePaused(
            f"Uploads are paused{_note(paused)}. Nothing is lost; send again later.", retry_after_s=RETRY_PAUSED_S
        )
    free: int | None = _intake.get("free", spool.free_bytes, INTAKE_KEPT_S)
    if free is not None and free < settings.SPOOL_MIN_FREE_BYTES:
        raise SpoolFull(
            "The disk for uploads is full. Nothing was accepted; send again later.", retry_after_s=RETRY_FULL_S
        )
    if _intake.get("waiting", _find_waiting_bytes, WAITING_KEPT_S) > settings.SPOOL_MAX_WAITING_BYTES:
        raise SpoolFull(
            "More uploads are waiting to be merged than the site can hold. Nothing was accepted; send again later.",
            retry_after_s=RETRY_FULL_S,
        )
    return paused


def check_locale(paused: dict[str, str], locale: str) -> None:
    """Raise `IntakePaused` for a locale that is among the paused ones."""
    if locale in paused:
        raise IntakePaused(
            f"Uploads for {locale} are paused{_note({locale: paused[locale]})}. Nothing is lost; send again later.",
            retry_after_s=RETRY_PAUSED_S,
        )


def _note(paused: dict[str, str]) -> str:
    notes = "; ".join(sorted({note for note in paused.values() if note}))
    return f": {notes}" if notes else ""
