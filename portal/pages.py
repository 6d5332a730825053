"""The pages of the door: sending notes, and following them until they are on the map."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from ingest.models import Upload
from maps import locales

#: After these nothing more happens by itself.
SETTLED = {Upload.Status.MERGED, Upload.Status.REJECTED, Upload.Status.WITHDRAWN}


@require_safe
def upload(request: HttpRequest) -> HttpResponse:
    """Show how to send notes: drop files, choose them, or paste the export's text."""
    limits = {
        "document_mb": settings.MAX_DOCUMENT_BYTES // 1024**2,
        "body_bytes": settings.MAX_BODY_BYTES,
        "anonymous": settings.ANONYMOUS_UPLOADS,
    }
    return render(request, "portal/upload.html", {"section": "upload", "limits": limits})


@never_cache
@require_safe
def receipt(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Show how far an upload has come and what it brought."""
    found = get_object_or_404(Upload, pk=id)
    return render(
        request,
        "portal/receipt.html",
        {
            "section": "upload",
            "upload": found,
            "settled": found.status in SETTLED,
            "rejected": found.status == Upload.Status.REJECTED,
            "withdrawn": found.status == Upload.Status.WITHDRAWN,
            "merged": found.status == Upload.Status.MERGED,
            "hosted": found.locale in locales.hosted(),
        },
    )
