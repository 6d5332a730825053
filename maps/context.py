"""What every page knows: the hosted locales and the one whose data is shown."""

from typing import Any

from django.http import HttpRequest

from maps import locales


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the template variables common to all pages."""
    return {"hosted_locales": locales.hosted()}
