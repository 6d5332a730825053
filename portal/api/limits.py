"""How much one sender may send per hour, and whether the site takes anything at all."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import timedelta
from threading import Lock
from typing import Generic, TypeVar

from django.conf import settings
from django.db import connection
from django.db.models import Q, Sum
from django.utils import timezone

from core import locales
from ingest.intake import spool
from ingest.models import Upload
from ingest.problems import IntakePaused, SpoolFull, TooManyUploads
from portal.api.sql import load
from portal.models import Refusal

T = TypeVar("T")

WINDOW = timedelta(hours=1)
#: Each process counts the database's rows anew this often and its own uploads in between.
RECOUNT_S = 10
SENDERS_REMEMBERED = 10_000
#: How old the sum of what waits may be, and whether intake is paused and how much space there is.
WAITING_REMEMBERED_S, INTAKE_REMEMBERED_S = 5.0, 1.0
RETRY_PAUSED_S = 300
RETRY_FULL_S = 120
_PAUSED = load("paused_intake.sql")


class SenderCounts:
    """How many documents each sender has sent within the window, refused ones included."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._counts: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def add(self, sender: str, documents: int = 1) -> int:
        """Count documents of a sender and return how many they are now."""
        now = time.monotonic()
        with self._lock:
            counted_at, count = self._counts.get(sender, (0.0, 0))
        if now - counted_at > RECOUNT_S:
            since = timezone.now() - WINDOW
            count = (
                Upload.objects.filter(sender=sender, received_at__gt=since).count()
                + Refusal.objects.filter(sender=sender, refused_at__gt=since).count()
            )
            counted_at = now
        with self._lock:
            self._counts[sender] = (counted_at, count + documents)
            self._counts.move_to_end(sender)
            while len(self._counts) > SENDERS_REMEMBERED:
                self._counts.popitem(last=False)
        return count + documents

    def clear(self) -> None:
        """Forget everything (tests)."""
        with self._lock:
            self._counts.clear()


class Remembered(Generic[T]):
    """Something that is found anew when it is older than `for_s`."""

    def __init__(self, find: Callable[[], T], for_s: float) -> None:
        self._find, self._for_s = find, for_s
        self._found: tuple[float, T] | None = None

    def get(self) -> T:
        """Return it, at most `for_s` old."""
        now = time.monotonic()
        found = self._found
        if found is None or now - found[0] > self._for_s:
            found = self._found = (now, self._find())
        return found[1]

    def forget(self) -> None:
        """Find it anew the next time."""
        self._found = None


def _find_paused() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(_PAUSED)
        return {locale: note for locale, note in cursor.fetchall() if locale in locales.hosted()}


def _find_waiting_bytes() -> int:
    # A staged document stays in the spool until it is merged. OR, because IN would use neither partial index.
    waiting = Upload.objects.filter(Q(status=Upload.Status.QUEUED) | Q(status=Upload.Status.STAGED))
    return int(waiting.aggregate(total=Sum("size_bytes"))["total"] or 0)


sent = SenderCounts()
_paused = Remembered(_find_paused, INTAKE_REMEMBERED_S)
_free_bytes = Remembered(spool.free_bytes, INTAKE_REMEMBERED_S)
_waiting_bytes = Remembered(_find_waiting_bytes, WAITING_REMEMBERED_S)


def forget() -> None:
    """Find everything anew (tests)."""
    sent.clear()
    for remembered in (_paused, _free_bytes, _waiting_bytes):
        remembered.forget()


def per_hour(sender: str) -> int:
    """Return how many documents per hour a sender may send."""
    anonymous = sender.startswith("network:")
    return settings.ANONYMOUS_UPLOADS_PER_HOUR if anonymous else settings.PLAYER_UPLOADS_PER_HOUR


def check_sender(sender: str, documents: int = 1) -> None:
    """Count documents against a sender's limit; raises `TooManyUploads`."""
    if sent.add(sender, documents) > per_hour(sender):
        raise TooManyUploads(
            f"More than {per_hour(sender):,} uploads came from this sender within an hour. Nothing was taken; "
            "wait some minutes, or ask for a token, which allows more.",
            retry_after_s=600,
        )


def check_intake() -> dict[str, str]:
    """Return the locales that take no uploads now, each with its note, for `check_locale`.

    A pause begins and ends within a second. Raises `IntakePaused` or `SpoolFull` when the site takes none at all.
    """
    paused = _paused.get()
    if len(paused) == len(locales.hosted()):
        raise IntakePaused(
            f"Uploads are paused{_note(paused)}. Nothing is lost; send again later.", retry_after_s=RETRY_PAUSED_S
        )
    free = _free_bytes.get()
    if free is not None and free < settings.SPOOL_MIN_FREE_BYTES:
        raise SpoolFull(
            "The disk for uploads is full. Nothing was taken; send again later.", retry_after_s=RETRY_FULL_S
        )
    if _waiting_bytes.get() > settings.SPOOL_MAX_WAITING_BYTES:
        raise SpoolFull(
            "More uploads are waiting to be merged than the site can hold. Nothing was taken; send again later.",
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
