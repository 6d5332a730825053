"""The upload page: how to send data, and the browser's form."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from core.problems import Problem, problem_classes
from portal.api import forms, limits, senders


# No cookie gives any right here, as with the API; and the CSRF check would read a form of any size first.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Show how to send data, and accept a plain form from browsers without scripts."""
    context: dict[str, Any] = {
        "section": "upload",
        "limits": {
            "document_mb": settings.MAX_DOCUMENT_BYTES // 1024**2,
            "body_bytes": settings.MAX_BODY_BYTES,
            "anonymous": settings.ANONYMOUS_UPLOADS,
        },
        "archive_days": settings.ARCHIVE_DAYS,
        # Details of problems are English, like the rest of the API; their titles are in the page's language.
        "causes": json.dumps({cause.code: translation.gettext(cause.title) for cause in problem_classes()}),
    }
    code = 200
    if request.method == "POST":
        results = _take_form(request)
        if len(results) == 1 and "upload" in results[0]:
            return redirect("receipt-page", id=results[0]["upload"].id)
        code = max((result["problem"].status for result in results if "problem" in result), default=200)
        context["results"] = results
    return render(request, "portal/upload.html", context, status=code)


def _take_form(request: HttpRequest) -> list[dict[str, Any]]:
    """Return a row per document of a form: `[{"name", "upload", "duplicate"}, {"name", "problem"}]`.

    Names of files are shown to their sender and not kept.
    """
    try:
        sender = senders.identify(request)
        check_locale = partial(limits.check_locale, limits.check_intake())
        results = forms.take(request, sender, check_locale, text_field="text", keep_names=False)
    except Problem as problem:
        return [{"name": _("Your upload"), "problem": problem}]
    return [
        {"name": result.name, "problem": result.outcome}
        if isinstance(result.outcome, Problem)
        else {"name": result.name, "upload": result.outcome.upload, "duplicate": result.outcome.duplicate}
        for result in results
    ]
