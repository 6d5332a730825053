"""What all pages have in common: the locale and ids in the URL, permanent redirects."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.views.decorators.http import require_safe

from core import locales
from maps import paging

#: The largest ids: the largest integer of PostgreSQL, and for creatures the largest bigint.
MAX_ID = 2**31 - 1
MAX_MOB_ID = 2**63 - 1

Page = Callable[..., HttpResponse]


class PermanentRedirect308(HttpResponsePermanentRedirect):
    """A permanent redirect that keeps the method."""

    status_code = 308


def of_locale(page: Page) -> Callable[..., HttpResponseBase]:
    """Pass a page the database of the locale in its URL. A locale that is shown as another one redirects there."""

    @require_safe
    @wraps(page)
    def answer(request: HttpRequest, locale: str, **kwargs: str) -> HttpResponse:
        canonical = locales.canonical(locale)
        if canonical not in locales.hosted():
            raise Http404(f"No map is hosted for {locale}.")
        if canonical != locale:
            return PermanentRedirect308(f"/{canonical}{request.get_full_path()[1 + len(locale) :]}")
        try:
            return page(request, locales.alias(locale), **kwargs)
        except paging.BadCursor as error:
            raise Http404("The address names no page of this list.") from error

    return answer


def whole(text: str, largest: int = MAX_ID) -> int:
    """Return the number written in a URL, or raise a 404 if no id is that large."""
    number = int(text)
    if number > largest:
        raise Http404("No id is that large.")
    return number
