"""The short way for uploads: they need no session, no language, no cookie and no static file.

Ten middlewares take as long as the database does with an upload. Here stands what uploads need of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from csp.utils import build_policy
from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.urls import resolve

PATH = "/api/v1/uploads"
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
    request.resolver_match = match = resolve(request.path_info)
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    return response
