"""The short way for uploads: they need no session, no language, no cookie and no static file.

Ten middlewares take as long as the database does with an upload. Here stands what uploads need of them.
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
CONNECTION_TRUSTED_S = 1.0
_Answering = Callable[[HttpRequest], HttpResponse]


def uploads_first(get_response: _Answering) -> _Answering:
    """Answer uploads at once, with the headers that every answer of the site carries; pass on all else."""
    answer_upload = cast(_Answering, convert_exception_to_response(_answer))
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
    request.get_host()  # refuses hosts that are not the site's
    _trust_connection()
    request.resolver_match = match = _match(request.path_info)
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    return response


_match = cache(resolve)


def _trust_connection() -> None:
    """Ask at most once in a while whether a thread's connection still stands, not with each of its requests.

    A database that was started anew was away for longer. Should a connection break in between, the sender is asked to
    try again, and the thread's next request gets another one.
    """
    now = monotonic()
    if now - getattr(_thread, "asked_at", float("-inf")) < CONNECTION_TRUSTED_S:
        cast(Any, connection).health_check_done = True
    else:
        _thread.asked_at = now


_thread = local()
