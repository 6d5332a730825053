"""What all reads have in common: the locale in the URL, problems, redirects, caching, CORS."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import reverse
from django.utils.translation import gettext_noop as _
from django.views.decorators.csrf import csrf_exempt

from core import locales
from core.problems import LocaleNotHosted, Problem, answers_problems, json_response
from maps import paging
from maps.api.parameters import refuse

logger = logging.getLogger(__name__)

#: A merge is visible on the map within seconds: caches may absorb a burst of requests, but not hide the merge.
CACHE_CONTROL = "public, max-age=2"

#: How long a browser may cache the answer to a CORS preflight request.
PREFLIGHT_MAX_AGE_S = 86_400

#: `Retry-After` while a database is unavailable: long enough for a restart.
RETRY_AFTER_S = 5

#: A read takes the request, the locale's database alias and the ids in the URL, and returns JSON or a response.
Read = Callable[..., dict[str, Any] | HttpResponse]


class MapUnavailable(Problem):
    code, title, status, may_retry = "map-unavailable", _("The map can't be read at the moment"), 503, True


def read(view: Read) -> Callable[..., HttpResponse]:
    """Turn a read into a view: find the locale's database, answer in JSON, and report errors as problems."""

    @answers_problems("GET")
    def answer(request: HttpRequest, locale: str, **ids: int) -> HttpResponse:
        canonical = locales.canonical(locale)
        if canonical not in locales.hosted():
            hosted = locales.hosted()
            raise LocaleNotHosted(
                f"This site hosts maps for {', '.join(hosted)}, not for {locale[:40]}.", hosted=hosted
            )
        if canonical != locale:
            return moved(request, locale=canonical)
        try:
            body = view(request, locales.alias(canonical), **ids)
        except paging.BadCursor:
            raise refuse(
                "cursor",
                "not-a-cursor",
                "The parameter `cursor` must be the `next` of the previous page of this list; the first page has none.",
            ) from None
        except OperationalError as error:
            logger.exception("The database of %s does not answer", canonical)
            raise MapUnavailable(
                f"The database of {canonical} does not answer. Try again in a few seconds.",
                retry_after_s=RETRY_AFTER_S,
            ) from error
        response = body if isinstance(body, HttpResponse) else json_response(body)
        if "Cache-Control" not in response:
            response["Cache-Control"] = CACHE_CONTROL
        response["Content-Language"] = f"{canonical[:2]}-{canonical[2:]}"
        return response

    return open_to_all(wraps(view)(answer))


def open_to_all(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Allow the pages of any site to read the answers (CORS): they are public and depend on no cookie."""

    @csrf_exempt  # these views change nothing; a form sent by mistake gets the allowed methods
    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "OPTIONS":
            response = HttpResponse(status=204)
            response["Access-Control-Allow-Methods"] = "GET, HEAD, OPTIONS"
            response["Access-Control-Allow-Headers"] = "*"
            response["Access-Control-Max-Age"] = str(PREFLIGHT_MAX_AGE_S)
        else:
            response = view(request, *args, **kwargs)
            response["Access-Control-Expose-Headers"] = "ETag, Content-Language"
        response["Access-Control-Allow-Origin"] = "*"
        return response

    return answer


def moved(request: HttpRequest, **changed: str | int) -> HttpResponse:
    """Redirect (308, with the query) to the same URL with some of its parts changed."""
    match = request.resolver_match
    if match is None or match.url_name is None:
        raise LookupError(f"{request.path} has no URL name to redirect to")
    target = reverse(match.url_name, kwargs=match.kwargs | changed)
    query = request.META.get("QUERY_STRING", "")
    response = HttpResponsePermanentRedirect(target + ("?" + query if query else ""), preserve_request=True)
    response["Cache-Control"] = CACHE_CONTROL
    return response
