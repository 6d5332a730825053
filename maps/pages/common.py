"""What all pages have in common: the locale in the address, ids in it, redirects for good."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.views.decorators.http import require_safe

from core import locales
from maps import paging

#: Ids beyond are none: the largest integer of PostgreSQL, and for creatures its bigint.
MAX_ID = 2**31 - 1
MAX_MOB_ID = 2**63 - 1

Page = Callable[..., HttpResponse]


class PermanentRedirect308(HttpResponsePermanentRedirect):
    """Moved for good, with the method kept."""

    status_code = 308


def of_locale(page: Page) -> Callable[..., HttpResponseBase]:
    """Give a page the database of the locale in its address; another client's locale redirects to its map."""

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
    """Return the number that an address's digits are, or raise a 404 when no id is that large."""
    number = int(text)
    if number > largest:
        raise Http404("No id is that large.")
    return number
