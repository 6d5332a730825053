"""The pages of the door: sending notes, and following them until they are on the map."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from core import locales
from core.problems import Problem
from ingest.intake.accept import accept
from ingest.models import LocaleControl, Upload
from ingest.problems import BadMultipart, TooLarge
from maps.pages.views import every_cause
from portal.api import limits, uploads
from portal.operations import status

#: After these nothing more happens by itself.
SETTLED = {Upload.Status.MERGED, Upload.Status.REJECTED, Upload.Status.WITHDRAWN}


# No cookie gives any right here, as with the API; and the CSRF check would read a form of any size first.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Show how to send notes, and take them as a plain form from browsers without scripts."""
    context: dict[str, Any] = {
        "section": "upload",
        "limits": {
            "document_mb": settings.MAX_DOCUMENT_BYTES // 1024**2,
            "body_bytes": settings.MAX_BODY_BYTES,
            "anonymous": settings.ANONYMOUS_UPLOADS,
        },
        "archive_days": settings.ARCHIVE_DAYS,
        # What refusals say is English, as all of the API; at least their causes are told in the page's language.
        "causes": json.dumps({cause.code: translation.gettext(cause.title) for cause in every_cause()}),
    }
    code = 200
    if request.method == "POST":
        try:
            results = _take_form(request)
        except Problem as problem:
            results = [{"name": _("Your notes"), "problem": problem}]
        if len(results) == 1 and "upload" in results[0]:
            return redirect("receipt-page", id=results[0]["upload"].id)
        code = max((result["problem"].status for result in results if "problem" in result), default=200)
        context["results"] = results
    return render(request, "portal/upload.html", context, status=code)


@never_cache
@require_safe
def receipt(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Show how far an upload has come and what it brought."""
    found = get_object_or_404(Upload, pk=id)
    settled = found.status in SETTLED
    return render(
        request,
        "portal/receipt.html",
        {
            "section": "upload",
            "upload": found,
            "settled": settled,
            "queue": None if settled else _queue(found.locale),
            "rejected": found.status == Upload.Status.REJECTED,
            "withdrawn": found.status == Upload.Status.WITHDRAWN,
            "merged": found.status == Upload.Status.MERGED,
            "hosted": found.locale in locales.hosted(),
        },
    )


def _queue(locale: str) -> dict[str, Any]:
    """Return what an upload of a locale waits for: `{"paused": False, "note": "", "uploads": 240, "minutes": 2}`.

    `minutes` is 0 where it is hardly worth a word or nobody can tell.
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


def _take_form(request: HttpRequest) -> list[dict[str, Any]]:
    """Take the files and the text of a form: `[{"name", "upload", "duplicate"}, {"name", "problem"}]`.

    Names of files are shown to their sender and not kept. Raises a `Problem` that concerns the whole form.
    """
    sender = uploads.identify(request)
    check_locale = partial(limits.check_locale, limits.check_intake())
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if length > settings.MAX_REQUEST_BYTES:
        raise TooLarge(_("These files are too large to be sent at once. Send fewer."))
    try:
        files = request.FILES.getlist("file")
        text = request.POST.get("text", "").strip()
    except (MultiPartParserError, RequestDataTooBig, TooManyFilesSent, SuspiciousOperation) as error:
        raise BadMultipart(_("The form could not be read. Send fewer or smaller files.")) from error
    documents: list[tuple[str, Iterator[bytes]]] = [(file.name or "", file.chunks()) for file in files]
    if text:
        documents.append((_("Pasted text"), iter([text.encode()])))
    if not documents:
        raise BadMultipart(_("There was nothing to send. Choose a file or paste the text of the export window."))
    limits.check_sender(sender, len(documents))
    return [_take(name, body, sender, check_locale) for name, body in documents]


def _take(name: str, body: Iterator[bytes], sender: str, check_locale: Callable[[str], None]) -> dict[str, Any]:
    try:
        accepted = accept(body, "", sender, "", check_locale=check_locale, dry_run=False)
    except Problem as problem:
        uploads.remember_refusal(problem, sender)
        return {"name": name, "problem": problem}
    return {"name": name, "upload": accepted.upload, "duplicate": accepted.duplicate}
