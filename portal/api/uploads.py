"""`POST /api/v1/uploads`: the upload endpoint."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from typing import Any

import orjson
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt

from core.problems import Problem, answers_problems
from ingest.intake.accept import Accepted, accept
from ingest.problems import DatabaseUnavailable, UnsupportedMediaType
from portal.api import forms, limits, receipts, refusals, senders

logger = logging.getLogger(__name__)

CHUNK_BYTES = 1 << 16
MULTIPART = "multipart/form-data"
MEDIA_TYPES = {"application/xml", "text/xml", "text/plain", "application/octet-stream", ""}
#: The rest of a refused body is read up to this size: a connection closed over unread data loses the answer.
DRAIN_BYTES = 64 << 20


@csrf_exempt  # no cookie gives any right here: a sender is known by their token alone
@answers_problems("POST")
def uploads(request: HttpRequest) -> HttpResponse:
    """Accept one document, or several as a form; see the HTTP contract."""
    dry_run = request.GET.get("dry_run", "") not in {"", "0", "false"}
    try:
        sender = senders.identify(request)
        paused = limits.check_intake()
        if request.content_type == MULTIPART:
            return _take_form(request, sender, paused, dry_run)
        return _take_body(request, sender, paused, dry_run)
    except (OperationalError, InterfaceError) as error:
        # Until its row is committed nothing was promised for a document.
        logger.warning("An upload was refused, as the portal's database is unavailable: %s", str(error).strip())
        unavailable = DatabaseUnavailable(
            "The site's database does not answer at the moment. Nothing was accepted; send it again shortly.",
            retry_after_s=receipts.RETRY_DATABASE_S,
            limits=receipts.limits(),
        )
        _drain(request)
        return unavailable.response()
    except Problem as problem:
        _drain(request)
        problem.members.setdefault("limits", receipts.limits())
        return problem.response()


def _take_body(request: HttpRequest, sender: str, paused: dict[str, str], dry_run: bool) -> HttpResponse:
    media_type = request.content_type or ""
    if media_type not in MEDIA_TYPES:
        raise UnsupportedMediaType(
            f"{media_type[:80]!r} is not accepted. Send the document as application/xml, text/xml, "
            "text/plain or application/octet-stream, or files as multipart/form-data."
        )
    limits.check_sender(sender)
    encoding, check_locale = request.headers.get("Content-Encoding", ""), partial(limits.check_locale, paused)
    try:
        accepted = accept(_chunks(request), encoding, sender, "", check_locale=check_locale, dry_run=dry_run)
    except Problem as problem:
        if not dry_run:
            refusals.record(problem, sender)
        raise
    return _answer(accepted, dry_run)


def _take_form(request: HttpRequest, sender: str, paused: dict[str, str], dry_run: bool) -> HttpResponse:
    with translation.override("en"):
        results = forms.take(request, sender, partial(limits.check_locale, paused), dry_run=dry_run)
    if len(results) == 1:
        outcome = results[0].outcome
        if isinstance(outcome, Problem):
            raise outcome
        return _answer(outcome, dry_run)
    shown = [
        {"file": result.name}
        | (result.outcome.body() if isinstance(result.outcome, Problem) else _result(result.outcome, dry_run))
        for result in results
    ]
    return _json({"results": shown, "limits": receipts.limits()}, 207)


def _status(accepted: Accepted, dry_run: bool) -> int:
    return 200 if dry_run or accepted.duplicate else 202


def _result(accepted: Accepted, dry_run: bool) -> dict[str, Any]:
    shown = receipts.body(accepted.upload) | {"may_retry": False}
    if accepted.duplicate:
        shown["duplicate"] = True
    if dry_run:
        shown["dry_run"] = True
        if not accepted.duplicate:
            for name in ("id", "url", "received_at"):
                del shown[name]
            shown["status"] = "valid"
    return shown


def _answer(accepted: Accepted, dry_run: bool) -> HttpResponse:
    result = _result(accepted, dry_run)
    response = _json(result | {"limits": receipts.limits()}, _status(accepted, dry_run))
    response["Server-Timing"] = ", ".join(f"{step};dur={took * 1000:.2f}" for step, took in accepted.took_s.items())
    if not dry_run:
        response["Location"] = result["url"]
    return response


def _json(body: Any, status: int) -> HttpResponse:
    response = HttpResponse(orjson.dumps(body), status=status, content_type="application/json")
    response["Cache-Control"] = "no-store"
    return response


def _chunks(request: HttpRequest) -> Iterator[bytes]:
    """Return a body in chunks, also one without a length (Transfer-Encoding: chunked)."""
    source: Any = request
    if not request.META.get("CONTENT_LENGTH") and request.META.get("wsgi.input_terminated"):
        source = request.META["wsgi.input"]
    return iter(lambda: source.read(CHUNK_BYTES), b"")


def _drain(request: HttpRequest) -> None:
    """Read and drop the rest of a refused body, up to `DRAIN_BYTES`."""
    left = DRAIN_BYTES
    try:
        for chunk in _chunks(request):
            left -= len(chunk)
            if left < 0:
                return
    except OSError:
        return  # the sender is gone; nobody waits for the answer
    except Exception as error:  # noqa: BLE001  (a body half read by the form's parser can't be read on)
        logger.debug("The rest of a refused body was not read: %s", error)
