"""`GET /metrics`: the figures of the queue page in Prometheus' text format."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from core.problems import Problem, answers_problems
from ingest.models import LocaleControl
from portal.accounts import client_address
from portal.operations import health, status

logger = logging.getLogger(__name__)


class MetricsForbidden(Problem):
    code, title, status = "metrics-forbidden", gettext_noop("The metrics are not public"), 403


def _gauge(name: str, text: str, label: str | None = None) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"mobmap_{name}", text, labels=[label] if label else [])


class FiguresCollector(Collector):
    """Collect the figures at each scrape. All processes answer the same: the counts are in PostgreSQL."""

    def collect(self) -> Iterator[Metric]:
        for family in (self._uploads, self._publishing, self._broker, self._spool, self._parts):
            try:
                yield from family()
            except DatabaseError as error:
                # The other families are still useful, above all which part is down.
                logger.warning("metrics: %s omitted: %s", family.__name__, error)

    def _uploads(self) -> Iterator[Metric]:
        figures = status.figures()
        for name, text in {
            "queued": "Uploads waiting to be merged, claimed and failing ones included.",
            "claimed": "Queued uploads a worker is working on.",
            "failing": "Queued uploads whose last try failed.",
            "staged": "Uploads read but not merged yet.",
            "oldest_age_s": "Seconds the longest waiting upload has waited.",
        }.items():
            family = _gauge("oldest_waiting_seconds" if name == "oldest_age_s" else f"uploads_{name}", text, "locale")
            for locale, one in figures.items():
                family.add_metric([locale], getattr(one, name))
            yield family
        merged = CounterMetricFamily(
            "mobmap_uploads_merged", "Uploads merged, those withdrawn since included.", labels=["locale"]
        )
        rejected = CounterMetricFamily(
            "mobmap_uploads_rejected", "Uploads that could not be read or merged.", labels=["locale"]
        )
        for locale, one in figures.items():
            merged.add_metric([locale], one.merged + one.withdrawn)
            rejected.add_metric([locale], one.rejected)
        yield merged
        yield rejected
        paused = GaugeMetricFamily(
            "mobmap_paused", "1 while an admin pauses intake or work.", labels=["locale", "what"]
        )
        controls = {control.locale: control for control in LocaleControl.objects.all()}
        for locale in figures:
            control = controls.get(locale, LocaleControl(locale=locale))
            paused.add_metric([locale, "intake"], control.intake_paused)
            paused.add_metric([locale, "work"], control.work_paused)
        yield paused
        waiting = _gauge("spool_waiting_bytes", "Bytes of documents (XML) waiting to be merged.")
        waiting.add_metric([], sum(one.waiting_bytes for one in figures.values()))
        yield waiting

    def _publishing(self) -> Iterator[Metric]:
        pairs = _gauge("unpublished_pairs", "Pairs of a creature and a zone whose spawn points are stale.", "locale")
        stale = _gauge("stale_files", "Published files that are older than the tables.", "locale")
        age = _gauge("stale_file_oldest_seconds", "Seconds since the oldest stale file became stale.", "locale")
        for locale, one in status.unpublished().items():
            if one is not None:
                pairs.add_metric([locale], one.pairs)
                stale.add_metric([locale], one.files)
                age.add_metric([locale], one.oldest_age_s)
        yield pairs
        yield stale
        yield age
        refused = _gauge("refusals_last_hour", "Uploads refused in the last hour.", "code")
        for code, count in status.refusals_last_hour().items():
            refused.add_metric([code], count)
        yield refused

    def _broker(self) -> Iterator[Metric]:
        broker = health.broker()
        messages = _gauge("broker_messages", "Messages ready in a queue.", "queue")
        consumers = _gauge("broker_consumers", "Consumers listening to a queue.", "queue")
        for name, queue in broker.queues.items():
            if queue is not None:
                messages.add_metric([name], queue.messages)
                consumers.add_metric([name], queue.consumers)
        yield messages
        yield consumers
        workers = _gauge("workers", "Celery workers that answered in time.")
        workers.add_metric([], len(broker.workers))
        yield workers

    def _spool(self) -> Iterator[Metric]:
        free_bytes = health.cached_spool().free_bytes
        if free_bytes is not None:
            free = _gauge("spool_free_bytes", "Free space of the spool's disk.")
            free.add_metric([], free_bytes)
            yield free
        limit = _gauge("limit_bytes", "Limits past which uploads are answered with 503.", "limit")
        limit.add_metric(["spool_min_free"], settings.SPOOL_MIN_FREE_BYTES)
        limit.add_metric(["spool_max_waiting"], settings.SPOOL_MAX_WAITING_BYTES)
        yield limit

    def _parts(self) -> Iterator[Metric]:
        up = _gauge("part_up", "1 while a part of the site answers (as in /readyz).", "part")
        for part in health.parts():
            up.add_metric([part.name], part.ok)
        yield up


registry = CollectorRegistry()
registry.register(FiguresCollector())


def _may_read(request: HttpRequest) -> bool:
    scheme, _separator, token = request.headers.get("Authorization", "").partition(" ")
    if settings.METRICS_TOKEN and scheme.lower() == "bearer":
        return constant_time_compare(token.strip(), settings.METRICS_TOKEN)
    if "X-Forwarded-For" in request.headers and not settings.TRUST_PROXY:
        return False  # the request came through a proxy on this machine, so its address says nothing
    try:
        return ipaddress.ip_address(client_address(request)).is_loopback
    except ValueError:
        return False


@answers_problems("GET")
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer all figures to this machine, and to clients that send MOBMAP_METRICS_TOKEN."""
    if not _may_read(request):
        raise MetricsForbidden(
            _("Ask from the server itself, or send “Authorization: Bearer …” with the token in MOBMAP_METRICS_TOKEN.")
        )
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    response = HttpResponse(encode(registry), content_type=content_type)
    response["Cache-Control"] = "no-store"
    return response
