"""The page that visitors get while a database is unavailable."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

RETRY_AFTER_S = 10

logger = logging.getLogger(__name__)


class DatabaseUnavailableMiddleware:
    """Answer 503 with a page and `Retry-After` if a view could not reach its database.

    The API's views answer with a problem instead.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, (OperationalError, InterfaceError)):
            return None
        logger.error("%s could not be answered, a database is unavailable: %s", request.path, exception)
        response = render(request, "503.html", status=503)
        response["Retry-After"] = str(RETRY_AFTER_S)
        response["Cache-Control"] = "no-store"
        return response
