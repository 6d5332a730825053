"""Middleware that answers uploads without the other middlewares.

Uploads need no session, language, cookie or static file, and ten middlewares take as long as the database does with an
upload. This module does what uploads need of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import local
from time import monotonic
from typing import Any, cast

from csp.utils import build_policy
from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import resolve

PATH = "/api/v1/uploads"
#: How long a thread uses its database connection without a health check.
HEALTH_CHECK_EVERY_S = 1.0
_GetResponse = Callable[[HttpRequest], HttpResponse]


def bypass_for_uploads(get_response: _GetResponse) -> _GetResponse:
    """Answer uploads with the headers that every response of the site carries; pass on all other requests."""
    answer_upload = cast(_GetResponse, convert_exception_to_response(_answer))
    headers = {
        "Content-Security-Policy": build_policy(),
        "Cross-Origin-Opener-Policy": settings.SECURE_CROSS_ORIGIN_OPENER_POLICY,
        "Referrer-Policy": settings.SECURE_REFERRER_POLICY,
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": settings.X_FRAME_OPTIONS,
    }

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path_info != PATH:
            return get_response(request)
        response = answer_upload(request)
        response.headers.setdefault("Content-Length", str(len(response.content)))
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        return response

    return middleware


def _answer(request: HttpRequest) -> HttpResponse:
    request.get_host()  # raises for hosts that are not the site's
    _skip_health_check()
    request.resolver_match = match = _match(request.path_info)
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    return response


_match = cache(resolve)


def _skip_health_check() -> None:
    """Let Django check a thread's database connection once per `HEALTH_CHECK_EVERY_S`, not with each request.

    A restart of the database takes longer than that. If a connection breaks in between, the sender is asked to try
    again, and the thread's next request opens another one.
    """
    now = monotonic()
    if now - getattr(_thread, "checked_at", float("-inf")) < HEALTH_CHECK_EVERY_S:
        cast(Any, connection).health_check_done = True
    else:
        _thread.checked_at = now


_thread = local()
