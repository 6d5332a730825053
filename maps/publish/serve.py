"""Hand out documents where no nginx does."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable

import orjson
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date

from core import locales
from core.problems import json_response
from maps.publish import files, invalidation
from maps.publish.kinds import JSON, Kind
from maps.queries.database import Row

IMMUTABLE = "public, max-age=31536000, immutable"
#: Counted up whenever `excerpt` tells something else of the same document: readers keep what they have by its ETag.
EXCERPTS = 1


def found(alias: str, kind: Kind, number: int, *, even_if_stale: bool = False) -> Row | None:
    """Return what an up-to-date document holds, None where there is none."""
    if not settings.PUBLISH_DOCUMENTS or not (even_if_stale or not invalidation.is_stale(alias, kind, number)):
        return None
    return files.read(files.path(locales.of_alias(alias), kind, number))


def version(alias: str, kind: Kind, number: int, part: str = JSON) -> str | None:
    """Return the name of what a document holds now, for the `v` of an address that may be kept for good."""
    if not settings.PUBLISH_DOCUMENTS:
        return None
    try:
        return files.version(files.path(locales.of_alias(alias), kind, number, part).read_bytes())
    except FileNotFoundError:
        return None


def answer(
    request: HttpRequest, alias: str, kind: Kind, number: int, part: str = JSON, *, even_if_stale: bool = False
) -> HttpResponse | None:
    """Answer with a document (a part of it), None where there is none, or where it is older than the tables.

    Its ETag is nginx's for the same file, so that both may answer the same reader in turns. Asked for by the name of
    what it holds (`v`), it may be kept for good; asked for by another, it is the document as it is now.
    """
    if not settings.PUBLISH_DOCUMENTS or not (even_if_stale or not invalidation.is_stale(alias, kind, number)):
        return None
    try:
        with files.path(locales.of_alias(alias), kind, number, part).open("rb") as file:
            state, content = os.fstat(file.fileno()), file.read()
    except FileNotFoundError:
        return None
    etag = f'"{int(state.st_mtime):x}-{state.st_size:x}"'
    response = _json(request, content, etag) if part == JSON else _picture(content, etag)
    if kind.versioned and request.GET.get("v") == files.version(content):
        response["Cache-Control"] = IMMUTABLE
    response["Last-Modified"] = http_date(int(state.st_mtime))
    return response


def excerpt(
    request: HttpRequest, alias: str, kind: Kind, number: int, tell: Callable[[Row], Row | None]
) -> HttpResponse | None:
    """Answer with what an up-to-date document tells of something within it, None where there is none or `tell` says so.

    The answer stays as long as the document does: whoever has it is told so before the document is opened.
    """
    if not settings.PUBLISH_DOCUMENTS or invalidation.is_stale(alias, kind, number):
        return None
    try:
        with files.path(locales.of_alias(alias), kind, number).open("rb") as file:
            state = os.fstat(file.fileno())
            etag = f'W/"{int(state.st_mtime):x}-{state.st_size:x}-{EXCERPTS}"'
            to_fill = HttpResponse(headers={"ETag": etag})
            unchanged = get_conditional_response(request, etag=etag, response=to_fill)
            if unchanged is not to_fill:
                return unchanged
            told = tell(orjson.loads(gzip.decompress(file.read())))
    except FileNotFoundError:
        return None
    if told is None:
        return None
    response = json_response(told)
    response["ETag"] = etag
    return response


def _json(request: HttpRequest, content: bytes, etag: str) -> HttpResponse:
    response = HttpResponse(content_type="application/json")
    if re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
        response.content = content
        response["Content-Encoding"] = "gzip"
        response["ETag"] = etag
    else:
        response.content = gzip.decompress(content)
        response["ETag"] = f"W/{etag}"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


def _picture(content: bytes, etag: str) -> HttpResponse:
    return HttpResponse(content, content_type="image/png", headers={"ETag": etag})
