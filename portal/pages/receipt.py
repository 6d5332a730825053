"""The receipt page, which shows the steps of an upload until it is on the map."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core import locales
from ingest.models import LocaleControl, Upload
from portal.operations import status

#: After these the status changes only if an operator changes it.
FINAL_STATUSES = {Upload.Status.MERGED, Upload.Status.REJECTED, Upload.Status.WITHDRAWN}


@never_cache
@require_safe
def receipt(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Show which steps an upload has taken and what it contributed."""
    found = get_object_or_404(Upload, pk=id)
    final = found.status in FINAL_STATUSES
    return render(
        request,
        "portal/receipt.html",
        {
            "section": "upload",
            "upload": found,
            "final": final,
            "queue": None if final else _queue(found.locale),
            "rejected": found.status == Upload.Status.REJECTED,
            "withdrawn": found.status == Upload.Status.WITHDRAWN,
            "merged": found.status == Upload.Status.MERGED,
            "hosted": found.locale in locales.hosted(),
        },
    )


def _queue(locale: str) -> dict[str, Any]:
    """Return the queue of a locale: `{"paused": False, "note": "", "uploads": 240, "minutes": 2}`.

    `minutes` is 0 below one minute and where the wait is unknown.
    """
    control = LocaleControl.objects.filter(locale=locale, work_paused=True).first()
    figures = status.figures().get(locale, status.LocaleFigures())
    wait_s = figures.wait_s or 0
    return {
        "paused": control is not None,
        "note": control.note if control else "",
        "uploads": figures.queued + figures.staged,
        "minutes": round(wait_s / 60) if wait_s >= 60 else 0,
    }
