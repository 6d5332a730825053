"""When to stage and when to fold: small folds at once while little comes, large and rare ones under load."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import connections

from core import locales
from ingest import lifecycle
from ingest.merge import hot_tables
from ingest.models import Upload

#: From one fold of a locale to the next: when its queue is empty, and while more is waiting.
FOLD_GAP_IDLE = timedelta(seconds=0.5)
FOLD_GAP_LOADED = timedelta(seconds=30)
#: Under load a fold waits so many times as long as the last one took: folds get slower as tables grow, and must not
#: take more than about a tenth of the time.
GAP_PER_FOLD_TIME = 10
#: Filled share of its budget at which a locale is folded at the latest. A fold takes another worker about a third of
#: the time that reading and staging as much takes, so the rest of the budget lasts until there is room again.
FOLD_AT_FILLED_SHARE = 0.75


def other_workers_stage(locale: str, claim_name: str) -> bool:
    """Return whether uploads of a locale are claimed for other wake-ups than this one."""
    queued = Upload.objects.filter(lifecycle.claimed(), locale=locale, status=lifecycle.QUEUED)
    return queued.exclude(claimed_by=claim_name).exists()


def has_room(locale: str) -> bool:
    """Return whether more may be staged. At the budget, uploads stay in the spool until a fold has made room."""
    return hot_tables.size_bytes(locales.alias(locale)) < _budget_bytes()


def fold_is_due(locale: str, *, idle: bool) -> bool:
    """Return whether to fold now. `idle`: nothing waits in the queue, so that dots should appear soon."""
    alias = locales.alias(locale)
    if hot_tables.size_bytes(alias) >= _budget_bytes() * FOLD_AT_FILLED_SHARE:
        return True
    since_fold, took = _last_fold(alias)
    gap = FOLD_GAP_IDLE if idle else max(FOLD_GAP_LOADED, GAP_PER_FOLD_TIME * took)
    # A negative time: the clock was set back since.
    return not timedelta(0) <= since_fold < gap


def next_fold_s(locale: str) -> float | None:
    """Return in how many seconds an idle locale should be looked at for its next fold; None: nothing is staged."""
    if not Upload.objects.filter(locale=locale, status=lifecycle.STAGED).exists():
        return None
    left = FOLD_GAP_IDLE - _last_fold(locales.alias(locale))[0]
    # If it is due already, another worker is folding: look again a little later.
    return (left if timedelta(0) < left < FOLD_GAP_IDLE else FOLD_GAP_IDLE).total_seconds()


def _budget_bytes() -> int:
    """Return how much the hot tables of one locale may hold."""
    return int(settings.HOT_BUDGET_BYTES) // len(locales.hosted())


def _last_fold(alias: str) -> tuple[timedelta, timedelta]:
    """Return how long ago the last fold ended, and how long it took."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT clock_timestamp() - folded_at, took FROM hot_state")
        since_fold, took = cursor.fetchone()
    return since_fold, took
