"""The progress of uploads: the figures of `/api/v1/status`, the queue page and the metrics.

All figures are counts over rows. Each process caches them for a second, and for longer the more expensive they are.
"""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import DatabaseError
from django.db.models import Count, DateTimeField, F, FloatField, Func, IntegerField, Min, Q, Sum, Value
from django.db.models.functions import Cast, Extract
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from core import locales
from core.problems import Problem, answers_problems, json_response
from core.time_limited import TimeLimitedCache
from ingest.models import Upload
from maps.models import StaleFile, StaleSpawns
from portal.models import Refusal

logger = logging.getLogger(__name__)

T = TypeVar("T")

#: Counting may use at most a fiftieth of one core per figure: what takes 100 ms is counted every 5 s.
COST_FACTOR = 50
CACHED_AT_MOST_S = 30

RATE_WINDOW = timedelta(minutes=1)
HISTORY_MINUTES = 60

_cache: TimeLimitedCache[str, Any] = TimeLimitedCache()


class StatusUnavailable(Problem):
    code, title = "status-unavailable", gettext_noop("The figures can't be read at the moment")
    status, may_retry = 503, True


def cached(key: str, compute: Callable[[], T], at_least_s: int = 1) -> T:
    """Return `compute()`, or what it returned at most `CACHED_AT_MOST_S` ago in this process.

    How long a value is kept follows from how long it took to compute.
    """

    def lifetime_s(cost_s: float) -> float:
        return min(max(at_least_s, math.ceil(cost_s * COST_FACTOR)), CACHED_AT_MOST_S)

    found: T = _cache.get(key, compute, lifetime_s)
    return found


@dataclass(frozen=True)
class LocaleFigures:
    """Uploads of one locale; `queued` includes the claimed and the failing ones."""

    queued: int = 0
    claimed: int = 0
    failing: int = 0
    #: Of the documents of queued and staged uploads: they are in the spool until they are merged.
    waiting_bytes: int = 0
    #: Of the queued or staged upload that has waited longest; 0 when none waits.
    oldest_age_s: float = 0.0
    staged: int = 0
    merged: int = 0
    rejected: int = 0
    withdrawn: int = 0
    merged_last_minute: int = 0
    #: Uploads merged in each minute of the last hour, the oldest first (60 numbers, or none at all).
    history: tuple[int, ...] = ()

    @property
    def merged_last_hour(self) -> int:
        return sum(self.history)

    @property
    def rate_per_s(self) -> float:
        """Uploads merged per second over the last minute."""
        return self.merged_last_minute / RATE_WINDOW.total_seconds()

    @property
    def wait_s(self) -> float | None:
        """Seconds until an upload sent now is merged, at the last minute's rate; None if that rate says nothing."""
        waiting = self.queued + self.staged
        if waiting == 0:
            return 0.0
        if self.merged_last_minute == 0:
            return None
        seconds = waiting / self.rate_per_s
        window = RATE_WINDOW.total_seconds()
        # A surge that began within the minute: the rate is that of the idle time before, far too low.
        return None if seconds >= window > self.oldest_age_s else seconds


def _queue() -> dict[str, dict[str, Any]]:
    """Count what waits to be merged, from the partial indexes of queued and of staged uploads."""
    now = timezone.now()
    queued = Q(status="queued")
    rows = (
        Upload.objects.filter(queued | Q(status="staged"))  # IN would use neither index
        .values("locale")
        .annotate(
            queued=Count("id", filter=queued),
            claimed=Count("id", filter=queued & Q(lease_until__gt=now)),
            failing=Count("id", filter=queued & Q(attempts__gt=0) & ~Q(reason="")),
            waiting_bytes=Sum("size_bytes"),
            oldest=Min("received_at"),
        )
        .order_by()
    )
    return {
        row["locale"]: {
            **{name: row[name] for name in ("queued", "claimed", "failing", "waiting_bytes")},
            "oldest_age_s": max(0.0, round((now - row["oldest"]).total_seconds(), 1)),
        }
        for row in rows
    }


def _totals() -> dict[str, dict[str, Any]]:
    """Count the uploads that have left the queue. The most expensive figure: it reads the whole table."""
    rows = Upload.objects.exclude(status="queued").values("locale", "status").annotate(n=Count("id")).order_by()
    totals: dict[str, dict[str, Any]] = defaultdict(dict)
    for row in rows:
        totals[row["locale"]][row["status"]] = row["n"]
    return dict(totals)


def _minutes_before(moment: datetime) -> Cast:
    """Return whole minutes from `merged_at` to `moment`: 0 is the last minute, 59 the first of the hour."""
    seconds = Extract(Value(moment, output_field=DateTimeField()) - F("merged_at"), "epoch")
    return Cast(Func(seconds / 60, function="FLOOR", output_field=FloatField()), IntegerField())


def _recently_merged() -> dict[str, dict[str, Any]]:
    """Count the uploads of the last hour by minute, from the index of merge times."""
    now = timezone.now()
    recent = Upload.objects.filter(merged_at__gt=now - HISTORY_MINUTES * RATE_WINDOW, merged_at__lte=now)
    minutes = recent.annotate(ago=_minutes_before(now)).values_list("locale", "ago").annotate(n=Count("id")).order_by()
    history: dict[str, list[int]] = defaultdict(lambda: [0] * HISTORY_MINUTES)
    for locale, ago, count in minutes:
        history[locale][HISTORY_MINUTES - 1 - ago] = count
    return {locale: {"history": tuple(counts), "merged_last_minute": counts[-1]} for locale, counts in history.items()}


def figures() -> dict[str, LocaleFigures]:
    """Return the figures of every hosted locale: `{"enUS": LocaleFigures(queued=3, …), …}`."""
    queue, totals, recent = cached("queue", _queue), cached("totals", _totals), cached("recent", _recently_merged)
    return {
        locale: LocaleFigures(**queue.get(locale, {}), **totals.get(locale, {}), **recent.get(locale, {}))
        for locale in locales.hosted()
    }


@dataclass(frozen=True)
class Unpublished:
    """What is merged in one locale and not published yet."""

    #: Pairs of a creature and a zone whose spawn points are stale.
    pairs: int = 0
    #: Stale published files, and how long the oldest of them has been stale.
    files: int = 0
    oldest_age_s: float = 0.0


def _unpublished_in(alias: str) -> Unpublished:
    due = StaleFile.objects.using(alias).filter(since__lte=timezone.now())
    waiting = due.aggregate(files=Count("number"), oldest=Min("since"))
    age_s = max(0.0, (timezone.now() - waiting["oldest"]).total_seconds()) if waiting["oldest"] else 0.0
    return Unpublished(StaleSpawns.objects.using(alias).count(), waiting["files"], round(age_s, 1))


def _unpublished() -> dict[str, Unpublished | None]:
    found: dict[str, Unpublished | None] = {}
    for locale, alias in locales.aliases().items():
        try:
            found[locale] = _unpublished_in(alias)
        except DatabaseError as error:
            logger.warning("The database of %s did not answer what is unpublished: %s", locale, error)
            found[locale] = None
    return found


def unpublished() -> dict[str, Unpublished | None]:
    """Return per locale what is not published yet; None where its database does not answer."""
    return cached("unpublished", _unpublished)


def _refusals_last_hour() -> dict[str, int]:
    rows = (
        Refusal.objects.filter(refused_at__gt=timezone.now() - HISTORY_MINUTES * RATE_WINDOW)
        .values("code")
        .annotate(n=Count("id"))
    )
    return {row["code"]: row["n"] for row in rows.order_by("code")}


def refusals_last_hour() -> dict[str, int]:
    """Return how many uploads were refused in the last hour, by cause: `{"not-well-formed": 3, …}`."""
    return cached("refusals", _refusals_last_hour)


def body(by_locale: dict[str, LocaleFigures]) -> dict[str, Any]:
    """Return the body of `GET /api/v1/status`."""
    return {
        "locales": {
            locale: {
                "queued": one.queued,
                "staged": one.staged,
                "merged": one.merged,
                "oldest_age_s": one.oldest_age_s,
                "rate_per_s": round(one.rate_per_s, 3),
                "wait_s": None if one.wait_s is None else round(one.wait_s, 1),
            }
            for locale, one in by_locale.items()
        },
        "totals": {
            name: sum(getattr(one, name) for one in by_locale.values()) for name in ("queued", "staged", "merged")
        },
    }


@answers_problems("GET")
def status(request: HttpRequest) -> HttpResponse:
    """Answer how many uploads of each locale wait, how fast they are merged, and how long one waits."""
    try:
        answer = body(figures())
    except DatabaseError as error:
        raise StatusUnavailable(
            _("The portal's database does not answer at the moment. Try again in a few seconds."),
            retry_after_s=5,
        ) from error
    response = json_response(answer)
    response["Cache-Control"] = "public, max-age=1"
    response["Access-Control-Allow-Origin"] = "*"
    return response
