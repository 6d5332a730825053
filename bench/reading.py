"""The floor of `bench/run upload`: the site's web server with a view that only reads the body."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt
def read(request: HttpRequest) -> HttpResponse:
    """Read the body as the upload endpoint does, and discard it."""
    while request.read(1 << 16):
        pass
    return HttpResponse(b'{"status": "read"}', status=202, content_type="application/json")


urlpatterns = [path("api/v1/uploads", read)]


def _application() -> WSGIHandler:
    settings.ROOT_URLCONF = __name__
    return get_wsgi_application()


application = _application()
