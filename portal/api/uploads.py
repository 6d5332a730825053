"""`POST /api/v1/uploads`: the endpoint that takes documents."""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation, TooManyFilesSent
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from core.problems import Problem, answers_problems
from ingest.intake.accept import Accepted, accept
from ingest.problems import (
    AnonymousNotAllowed,
    BadMultipart,
    DatabaseAway,
    SpoolFull,
    TooLarge,
    UnknownToken,
    UnsupportedEncoding,
    UnsupportedMediaType,
)
from portal import accounts
from portal.api import limits, receipts
from portal.models import Refusal

logger = logging.getLogger(__name__)

CHUNK = 1 << 16
MULTIPART = "multipart/form-data"
MEDIA_TYPES = {"application/xml", "text/xml", "text/plain", "application/octet-stream", ""}
#: A refused body is read to its end up to this size, so that the sender gets to see the answer.
DRAIN_BYTES = 64 << 20


@csrf_exempt  # no cookie gives any right here: a sender is known by his token alone
@answers_problems("POST")
def uploads(request: HttpRequest) -> HttpResponse:
    """Take one document, or several as a form; see the HTTP contract."""
    dry_run = request.GET.get("dry_run", "") not in {"", "0", "false"}
    try:
        sender = identify(request)
        check_locale = partial(limits.check_locale, limits.check_intake())
        if request.content_type == MULTIPART:
            return _take_form(request, sender, check_locale, dry_run)
        media_type = request.content_type or ""
        if media_type not in MEDIA_TYPES:
            raise UnsupportedMediaType(
                f"{media_type[:80]!r} is not taken. Send the document as application/xml, text/xml, "
                "text/plain or application/octet-stream, or files as multipart/form-data."
            )
        limits.check_sender(sender)
        try:
            accepted = accept(
                _stream(request),
                request.headers.get("Content-Encoding", ""),
                sender,
                "",
                check_locale=check_locale,
                dry_run=dry_run,
            )
        except Problem as problem:
            remember_refusal(problem, sender, "", dry_run)
            raise
        return _answer(accepted, dry_run)
    except (OperationalError, InterfaceError) as error:
        # Between the document's way to the disk and its row's commit nothing is promised yet.
        logger.warning("An upload was turned away, as the portal's database is away: %s", str(error).strip())
        away = DatabaseAway(
            "The site's database does not answer at the moment. Nothing was taken; send it again shortly.",
            retry_after_s=receipts.RETRY_DATABASE_S,
            limits=receipts.limits(),
        )
        _drain(request)
        return away.response()
    except Problem as problem:
        _drain(request)
        problem.members.setdefault("limits", receipts.limits())
        return problem.response()


def identify(request: HttpRequest) -> str:
    """Return the sender's key; raises `UnknownToken` or `AnonymousNotAllowed`."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme:
        player = accounts.authenticate(token.strip()) if scheme.lower() == "bearer" else None
        if player is None:
            raise UnknownToken(
                "The token is unknown, revoked or not of the form `Authorization: Bearer mm_…`. "
                "Leave the header away to send without a name."
            )
        return player.sender
    if not settings.ANONYMOUS_UPLOADS:
        raise AnonymousNotAllowed("This site takes uploads with a token only: `Authorization: Bearer mm_…`.")
    return accounts.network_sender(accounts.client_address(request))


def _take_form(request: HttpRequest, sender: str, check_locale: Callable[[str], None], dry_run: bool) -> HttpResponse:
    if request.headers.get("Content-Encoding"):
        raise UnsupportedEncoding("A form is sent without Content-Encoding; its files may be gzip or zstd themselves.")
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if length > settings.MAX_REQUEST_BYTES:
        raise TooLarge(
            f"The form has {length:,} bytes; {settings.MAX_REQUEST_BYTES:,} are taken at once. Send fewer files.",
            limit_bytes=settings.MAX_REQUEST_BYTES,
        )
    try:
        files = request.FILES.getlist("file")
    except TooManyFilesSent:
        raise TooLarge(
            f"More than {settings.MAX_FILES_PER_REQUEST} files came at once. Send fewer files per request."
        ) from None
    except (MultiPartParserError, RequestDataTooBig, SuspiciousOperation) as error:
        raise BadMultipart(f"The form could not be read: {error}") from None
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        logger.exception("The folder for temporary files could not hold a form's files.")
        raise SpoolFull(
            f"The form's files could not be stored ({error.strerror}). Nothing was kept; send them again later.",
            retry_after_s=limits.RETRY_FULL_S,
        ) from error
    if not files:
        raise BadMultipart("The form holds no file. Name the field of each file `file`.")
    limits.check_sender(sender, len(files))
    results: list[Accepted | Problem] = []
    for file in files:
        try:
            body, name = file.chunks(CHUNK), file.name or ""
            results.append(accept(body, "", sender, name, check_locale=check_locale, dry_run=dry_run))
        except Problem as problem:
            remember_refusal(problem, sender, file.name or "", dry_run)
            results.append(problem)
    if len(files) == 1:
        if isinstance(results[0], Problem):
            raise results[0]
        return _answer(results[0], dry_run)
    shown = [
        {"file": file.name} | (result.body() if isinstance(result, Problem) else _result(result, dry_run))
        for file, result in zip(files, results, strict=True)
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


def _stream(request: HttpRequest) -> Iterator[bytes]:
    """Return a body in chunks, also one without a length (Transfer-Encoding: chunked)."""
    source: Any = request
    if not request.META.get("CONTENT_LENGTH") and request.META.get("wsgi.input_terminated"):
        source = request.META["wsgi.input"]
    return iter(lambda: source.read(CHUNK), b"")


def _drain(request: HttpRequest) -> None:
    """Read what is left of a refused body: a connection closed over unread data loses the answer."""
    left = DRAIN_BYTES
    try:
        for chunk in _stream(request):
            left -= len(chunk)
            if left < 0:
                return
    except OSError:
        return  # the sender is gone; nobody waits for the answer
    except Exception as error:  # noqa: BLE001  (a body half read by the form's parser can't be read on)
        logger.debug("The rest of a refused body was not read: %s", error)


def remember_refusal(problem: Problem, sender: str, file_name: str = "", dry_run: bool = False) -> None:
    """Keep a refusal for the admins, unless the sender was asked to try again or only wanted to check.

    So many are kept as `MOBMAP_REFUSALS_KEPT` says, and those that the limits of senders count.
    """
    if dry_run or problem.may_retry:
        return
    now = timezone.now()
    kept = Refusal.objects.create(
        refused_at=now,
        sender=sender,
        file_name="".join(letter for letter in file_name if letter.isprintable())[:200],
        status_code=problem.status,
        code=problem.code,
        detail=problem.detail,
        errors=problem.errors or [],
    )
    Refusal.objects.filter(pk__lte=kept.pk - settings.REFUSALS_KEPT, refused_at__lt=now - limits.WINDOW).delete()
