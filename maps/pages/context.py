"""Template variables of every page: the hosted locales and the one whose data is shown."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import get_language

from core import locales

#: The cookie that stores the locale a visitor has chosen.
LOCALE_COOKIE = "map_locale"

#: The locales of the game, each with the language's own name.
LOCALE_NAMES = {
    "enUS": "English",
    "deDE": "Deutsch",
    "frFR": "Français",
    "esES": "Español",
    "esMX": "Español (Latinoamérica)",
    "itIT": "Italiano",
    "ptBR": "Português",
    "ruRU": "Русский",
    "koKR": "한국어",
    "zhCN": "简体中文",
    "zhTW": "繁體中文",
}


def chosen_locale(request: HttpRequest) -> str:
    """Return the hosted locale a visitor sees: that of the URL, of the cookie, or of the page's language.

    The URL takes precedence, so that a shared link shows the same to everyone.
    """
    hosted = locales.hosted()
    match = request.resolver_match
    wanted = [
        match.kwargs.get("locale") if match else None,
        request.COOKIES.get(LOCALE_COOKIE),
        *(locale for locale in hosted if locale[:2] == get_language()),
    ]
    return next((locale for locale in wanted if locale in hosted), hosted[0])


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the template variables common to all pages."""
    return {"hosted_locales": locales.hosted(), "locale": chosen_locale(request)}
