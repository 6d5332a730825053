"""The receipt of an upload: its counts, and which steps it has taken since it was accepted."""

from __future__ import annotations

from functools import cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import get_script_prefix, reverse

from core.problems import NotFound, answers_problems, json_response
from ingest.models import Upload
from ingest.problems import DatabaseUnavailable

RETRY_DATABASE_S = 5


def body(upload: Upload) -> dict[str, Any]:
    """Return an upload as the contract describes it."""
    shown: dict[str, Any] = {
        "id": str(upload.id),
        "status": upload.status,
        "url": f"{_receipt_prefix(get_script_prefix())}{upload.id}",
        "locale": upload.locale,
        "version": upload.version,
        "mobs": upload.mobs,
        "positions": upload.positions,
        "lootings": upload.lootings,
        "ignored": upload.ignored,
        "size_bytes": upload.size_bytes,
    }
    for step in ("received_at", "staged_at", "merged_at", "rejected_at", "withdrawn_at"):
        moment = getattr(upload, step)
        if moment is not None:
            shown[step] = moment.isoformat(timespec="milliseconds")
    if upload.status == Upload.Status.MERGED and upload.contribution:
        shown |= upload.contribution
    if upload.reason:
        shown["reason"] = upload.reason
    return shown


@cache
def _receipt_prefix(script_prefix: str) -> str:
    """Return the URL of all receipts up to the id: `reverse` per receipt would take as long as the rest of `body`."""
    no_upload = UUID(int=0)
    return reverse("upload", args=[no_upload]).removesuffix(str(no_upload))


def limits() -> dict[str, int]:
    """Return the limits that every response of the upload endpoint states."""
    return {
        "document_bytes": settings.MAX_DOCUMENT_BYTES,
        "body_bytes": settings.MAX_BODY_BYTES,
        "files_per_request": settings.MAX_FILES_PER_REQUEST,
        "anonymous_uploads_per_hour": settings.ANONYMOUS_UPLOADS_PER_HOUR,
        "player_uploads_per_hour": settings.PLAYER_UPLOADS_PER_HOUR,
    }


@answers_problems("GET")
def receipt(request: HttpRequest, upload_id: UUID) -> HttpResponse:
    """`GET /api/v1/uploads/{id}`."""
    try:
        upload = Upload.objects.filter(id=upload_id).first()
    except (OperationalError, InterfaceError) as error:
        raise DatabaseUnavailable(
            "The site's database does not answer at the moment. Your upload is safe; ask again shortly.",
            retry_after_s=RETRY_DATABASE_S,
        ) from error
    if upload is None:
        raise NotFound(f"There is no upload {upload_id}. A receipt has the id that the response to the upload gave.")
    response = json_response(body(upload))
    response["Cache-Control"] = "no-cache"
    return response
