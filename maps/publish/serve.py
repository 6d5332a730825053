"""Answer requests with published files where no nginx does."""

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
from maps.queries.shapes import Row

IMMUTABLE = "public, max-age=31536000, immutable"
#: Incremented whenever `maps.publish.excerpts` returns something else for the same file, because readers cache the
#: answers by ETag.
EXCERPTS_VERSION = 1


def content(alias: str, kind: Kind, number: int, *, even_if_stale: bool = False) -> Row | None:
    """Return the content of a published file that is not stale, None if there is none."""
    if not settings.PUBLISH_FILES or not (even_if_stale or not invalidation.is_stale(alias, kind, number)):
        return None
    return files.read(files.path(locales.of_alias(alias), kind, number))


def version(alias: str, kind: Kind, number: int, part: str = JSON) -> str | None:
    """Return the current version of a part of a file, for the `v` of an address that may be cached forever."""
    if not settings.PUBLISH_FILES:
        return None
    try:
        return files.version(files.path(locales.of_alias(alias), kind, number, part).read_bytes())
    except FileNotFoundError:
        return None


def respond(
    request: HttpRequest, alias: str, kind: Kind, number: int, part: str = JSON, *, even_if_stale: bool = False
) -> HttpResponse | None:
    """Respond with a part of a published file that is not stale, None if there is none.

    The ETag is the one that nginx computes for the same file, so that both may serve the same reader. If the request
    names the current version (`v`), the response may be cached forever; any other `v` gets the current file.
    """
    if not settings.PUBLISH_FILES or not (even_if_stale or not invalidation.is_stale(alias, kind, number)):
        return None
    try:
        with files.path(locales.of_alias(alias), kind, number, part).open("rb") as file:
            state, body = os.fstat(file.fileno()), file.read()
    except FileNotFoundError:
        return None
    etag = f'"{int(state.st_mtime):x}-{state.st_size:x}"'
    response = _json(request, body, etag) if part == JSON else _png(body, etag)
    if kind.versioned and request.GET.get("v") == files.version(body):
        response["Cache-Control"] = IMMUTABLE
    response["Last-Modified"] = http_date(int(state.st_mtime))
    return response


def respond_with_excerpt(
    request: HttpRequest, alias: str, kind: Kind, number: int, select: Callable[[Row], Row | None]
) -> HttpResponse | None:
    """Respond with what `select` returns for the content of a file that is not stale.

    Return None if there is no such file, or if `select` returns None. The answer changes only with the file, so a
    conditional request is answered before the file is read.
    """
    if not settings.PUBLISH_FILES or invalidation.is_stale(alias, kind, number):
        return None
    try:
        with files.path(locales.of_alias(alias), kind, number).open("rb") as file:
            state = os.fstat(file.fileno())
            etag = f'W/"{int(state.st_mtime):x}-{state.st_size:x}-{EXCERPTS_VERSION}"'
            unconditional = HttpResponse(headers={"ETag": etag})
            response = get_conditional_response(request, etag=etag, response=unconditional)
            if response is not unconditional:
                return response
            selected = select(orjson.loads(gzip.decompress(file.read())))
    except FileNotFoundError:
        return None
    if selected is None:
        return None
    response = json_response(selected)
    response["ETag"] = etag
    return response


def _json(request: HttpRequest, body: bytes, etag: str) -> HttpResponse:
    response = HttpResponse(content_type="application/json")
    if re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
        response.content = body
        response["Content-Encoding"] = "gzip"
        response["ETag"] = etag
    else:
        response.content = gzip.decompress(body)
        response["ETag"] = f"W/{etag}"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


def _png(body: bytes, etag: str) -> HttpResponse:
    return HttpResponse(body, content_type="image/png", headers={"ETag": etag})
