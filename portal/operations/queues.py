"""The admins' queue page: what waits, how fast it is merged, what fails, and the switches that pause a locale.

The page is complete without JavaScript. `static/js/admin-queues.js` fetches `figures` every two seconds and replaces
the texts of the cells by their keys.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.defaultfilters import filesizeformat
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from core import locales
from core.problems import json_response
from ingest.models import LocaleControl, Upload
from portal.admin import controls
from portal.celery import DEAD_LETTERS
from portal.models import Refusal
from portal.operations import health, status

REFUSALS_SHOWN = 15
FAILING_SHOWN = 10
#: A warning is shown where the oldest upload has waited longer: merging usually takes seconds.
OLD_AFTER_S = 300
#: The chart's box in its own units, as in the template's viewBox.
CHART_WIDTH, CHART_HEIGHT = 120, 24


class Cell(NamedTuple):
    """A figure as text; `key` identifies it on the page, `state` is "", "good", "warn" or "bad"."""

    key: str
    label: str
    text: str
    state: str = ""


def count(number: int) -> str:
    """Return a whole number as the interface's language writes it: `12,345`."""
    return str(formats.number_format(number, force_grouping=True))


def duration(seconds: float) -> str:
    """Return a duration in its two largest units: `45 s`, `3 min 20 s`, `2 h 5 min`, `4 d 1 h`."""
    whole = int(seconds)
    for unit_s, unit, smaller_s, smaller in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= unit_s:
            return f"{whole // unit_s} {unit} {whole % unit_s // smaller_s} {smaller}"
    return f"{whole} s"


def chart(history: tuple[int, ...]) -> str:
    """Return the points of an SVG polyline of `history`; the highest minute reaches the top."""
    top = max(history, default=0)
    if top == 0:
        return f"0,{CHART_HEIGHT} {CHART_WIDTH},{CHART_HEIGHT}"
    step = CHART_WIDTH / (len(history) - 1)
    return " ".join(f"{i * step:.1f},{CHART_HEIGHT * (1 - n / top):.1f}" for i, n in enumerate(history))


def _locale_cells(locale: str, one: status.LocaleFigures, unpublished: status.Unpublished | None) -> list[Cell]:
    def cell(name: str, label: str, text: str, state: str = "") -> Cell:
        return Cell(f"{locale}.{name}", label, text, state)

    rate = formats.number_format(round(one.rate_per_s, 2), decimal_pos=2)
    late = one.oldest_age_s > OLD_AFTER_S
    if one.wait_s is None and one.oldest_age_s < status.RATE_WINDOW.total_seconds():
        # Little or nothing was merged within the minute because there was nothing to merge.
        wait = cell("wait", _("Estimated wait"), "–")
    elif one.wait_s is None:
        wait = cell("wait", _("Estimated wait"), _("nothing is merged"), "warn")
    else:
        wait = cell("wait", _("Estimated wait"), duration(one.wait_s))
    if unpublished is None:
        publishing = [cell("unpublished", _("To be published"), _("database does not answer"), "bad")]
    else:
        age = duration(unpublished.oldest_age_s) if unpublished.files else "–"
        publishing = [
            cell("unpublished", _("To be published"), count(unpublished.pairs)),
            cell("documents", _("Files to publish"), count(unpublished.files)),
            cell("document-age", _("Oldest file waits"), age),
        ]
    return [
        cell("waiting", _("Waiting"), count(one.queued - one.claimed)),
        cell("claimed", _("Claimed"), count(one.claimed)),
        cell("failing", _("Failing"), count(one.failing), "bad" if one.failing else ""),
        cell("staged", _("Staged"), count(one.staged)),
        cell("oldest", _("Oldest waits"), duration(one.oldest_age_s) if one.queued else "–", "warn" if late else ""),
        wait,
        cell("rate", _("Rate"), _("%(rate)s per s") % {"rate": rate}),
        cell("minute", _("Merged, last minute"), count(one.merged_last_minute)),
        cell("hour", _("Merged, last hour"), count(one.merged_last_hour)),
        cell("merged", _("Merged in all"), count(one.merged)),
        cell("rejected", _("Rejected"), count(one.rejected)),
        *publishing,
    ]


def _control_cell(control: LocaleControl) -> Cell:
    paused = [
        *([_("intake paused")] if control.intake_paused else []),
        *([_("work paused")] if control.work_paused else []),
    ]
    text = ", ".join(paused) or _("running")
    if paused and control.note:
        text += f": {control.note}"
    return Cell(f"{control.locale}.control", _("State"), text, "warn" if paused else "good")


def _part_name(name: str) -> str:
    """Return a part's name in the language of the page; in metrics and `/readyz` it is always English."""
    kind, _separator, which = name.partition(" ")
    if kind == "database":
        return _("Database %(name)s") % {"name": which}
    return {"broker": _("Broker"), "RAM stage": _("RAM stage"), "spool": _("Spool")}[name]


def _workers_cell() -> Cell:
    broker, up_s = health.broker(), health.starting_for_s()
    if broker.workers:
        text, state = f"{count(len(broker.workers))}: {', '.join(broker.workers)}", "good"
    elif up_s is not None and not broker.reason:
        text, state = _("none yet, the site started %(time)s ago") % {"time": duration(up_s)}, ""
    else:
        text, state = _("none answered"), "bad"
    return Cell("workers", _("Workers"), text, state)


def _part_cells(counted: dict[str, status.LocaleFigures]) -> list[Cell]:
    """Return the state of databases, broker, spool and workers, and the spool's sizes with their limits."""
    cells = []
    for part in health.parts():
        state = "good" if part.ok else "bad" if part.needed else "warn"
        cells.append(Cell(f"part.{part.name}", _part_name(part.name), part.reason or _("works"), state))
    waiting, free = sum(one.waiting_bytes for one in counted.values()), health.cached_spool().free_bytes
    full = waiting >= settings.SPOOL_MAX_WAITING_BYTES
    low = free is not None and free < settings.SPOOL_MIN_FREE_BYTES
    waiting_text = _("%(size)s of at most %(limit)s") % {
        "size": filesizeformat(waiting),
        "limit": filesizeformat(settings.SPOOL_MAX_WAITING_BYTES),
    }
    free_text = _("%(size)s, at least %(limit)s must stay free") % {
        "size": _("unknown") if free is None else filesizeformat(free),
        "limit": filesizeformat(settings.SPOOL_MIN_FREE_BYTES),
    }
    return [
        *cells,
        _workers_cell(),
        Cell("spool.waiting", _("Documents waiting"), waiting_text, "bad" if full else ""),
        Cell("spool.free", _("Free space"), free_text, "bad" if low else ""),
    ]


def _broker_rows() -> list[dict[str, Any]]:
    found, rows = health.broker().queues, []
    for name in health.queue_names():
        queue = found.get(name)
        dead_letters = name == DEAD_LETTERS
        unheard = queue is None or (queue.consumers == 0 and not dead_letters and health.starting_for_s() is None)
        messages_state = "warn" if dead_letters and queue and queue.messages else ""
        rows.append(
            {
                "name": name,
                "cells": [
                    Cell(f"{name}.messages", _("Messages"), count(queue.messages) if queue else "–", messages_state),
                    Cell(
                        f"{name}.consumers",
                        _("Consumers"),
                        count(queue.consumers) if queue else "–",
                        "warn" if unheard else "",
                    ),
                ],
            }
        )
    return rows


def _refusals() -> list[dict[str, str]]:
    return [
        {
            "when": formats.date_format(timezone.localtime(refusal.refused_at), "DATETIME_FORMAT"),
            "status": str(refusal.status_code),
            "code": refusal.code,
            "file": refusal.file_name,
            "detail": refusal.detail[:300],
            "url": reverse("admin:portal_refusal_change", args=[refusal.pk]),
        }
        for refusal in Refusal.objects.order_by("-refused_at")[:REFUSALS_SHOWN]
    ]


def _failing() -> list[dict[str, str]]:
    """Return uploads that fail and are tried again, the oldest first, then those rejected by merging, newest first.

    Among the former are withdrawn uploads that can't be subtracted: their data is still on the map.
    """
    failing = Upload.objects.filter(status="queued", attempts__gt=0).exclude(reason="").order_by("received_at")
    rejected_by_merging = Upload.objects.filter(status="rejected", quarantine_step__gt=0).order_by("-rejected_at")
    not_subtracted = Upload.objects.filter(status="withdrawn", withdrawn_at=None, attempts__gt=0).order_by(
        "received_at"
    )
    uploads = [*failing[:FAILING_SHOWN], *not_subtracted[:FAILING_SHOWN], *rejected_by_merging[:FAILING_SHOWN]]
    return [
        {
            "when": formats.date_format(timezone.localtime(upload.received_at), "DATETIME_FORMAT"),
            "locale": upload.locale,
            "id": str(upload.pk),
            "attempts": str(upload.attempts),
            "detail": upload.reason[:300],
            "url": reverse("admin:ingest_upload_change", args=[upload.pk]),
        }
        for upload in uploads[:FAILING_SHOWN]
    ]


def _snapshot(request: HttpRequest) -> dict[str, Any]:
    counted, unpublished = status.figures(), status.unpublished()
    found = {control.locale: control for control in LocaleControl.objects.all()}
    return {
        "asked_at": formats.time_format(timezone.localtime(), "H:i:s"),
        "locales": [
            {
                "locale": locale,
                "control": (control := found.get(locale, LocaleControl(locale=locale))),
                "state": _control_cell(control),
                "cells": _locale_cells(locale, one, unpublished[locale]),
                "chart": chart(one.history),
            }
            for locale, one in counted.items()
        ],
        "parts": _part_cells(counted),
        "broker": _broker_rows(),
        "failing": _failing(),
        "refusals": _refusals() if _may(request, "portal.view_refusal") else [],
    }


def _may(request: HttpRequest, permission: str) -> bool:
    return bool(request.user.has_perm(permission))


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    """Show the queues to staff who may view uploads."""
    if not _may(request, "ingest.view_upload"):
        raise PermissionDenied
    context = {
        **admin.site.each_context(request),
        **_snapshot(request),
        "title": _("Queues"),
        "may_pause": _may(request, "ingest.change_localecontrol"),
        "may_view_refusals": _may(request, "portal.view_refusal"),
        "chart_box": f"0 -1 {CHART_WIDTH} {CHART_HEIGHT + 2}",
    }
    return TemplateResponse(request, "admin/queues.html", context)


@require_GET
def figures(request: HttpRequest) -> HttpResponse:
    """Return the texts of the page's cells by their keys, for its script."""
    if not _may(request, "ingest.view_upload"):
        raise PermissionDenied
    found = _snapshot(request)
    cells = [*found["parts"], *(cell for queue in found["broker"] for cell in queue["cells"])]
    for locale in found["locales"]:
        cells += [locale["state"], *locale["cells"]]
    return json_response(
        {
            "asked_at": found["asked_at"],
            "cells": {cell.key: {"text": cell.text, "state": cell.state} for cell in cells},
            "charts": {locale["locale"]: locale["chart"] for locale in found["locales"]},
            "tables": {"failing": found["failing"], "refusals": found["refusals"]},
        }
    )


@require_POST
def control(request: HttpRequest, locale: str) -> HttpResponse:
    """Pause or resume a locale's intake or work: form fields `switch` (`intake-1`, `work-0`, …) and `note`."""
    user = request.user
    if not user.is_authenticated or not user.has_perm("ingest.change_localecontrol"):
        raise PermissionDenied
    what, _separator, paused = request.POST.get("switch", "").partition("-")
    if locale not in locales.hosted() or what not in controls.SWITCHES or paused not in {"0", "1"}:
        raise Http404
    messages.success(request, controls.switch(user, locale, what, paused == "1", request.POST.get("note", "")))
    return redirect("queues")
