"""The hosted locales and their databases, one for each locale."""

from __future__ import annotations

import re

from django.conf import settings

from core.router import MAP_PREFIX

#: A client's locale as the game writes it: two lower-case letters, two capitals.
PATTERN = re.compile(r"[a-z]{2}[A-Z]{2}")

#: British clients have the same names as American ones, so both share a map.
SAME_MAP = {"enGB": "enUS"}


class UnknownLocale(LookupError):
    """The site hosts no map for this locale."""


def canonical(locale: str) -> str:
    """Return the locale whose map a client's uploads belong to: `enGB` → `enUS`."""
    return SAME_MAP.get(locale, locale)


def hosted() -> list[str]:
    """Return the hosted locales, in the order of the settings."""
    return list(settings.MOBMAP_LOCALES)


def alias(locale: str) -> str:
    """Return the Django database alias of a hosted locale: `deDE` → `map_deDE`.

    Raises `UnknownLocale` for any other text, so that no alias comes from unchecked input.
    """
    if locale not in settings.MOBMAP_LOCALES:
        raise UnknownLocale(locale)
    return MAP_PREFIX + locale


def aliases() -> dict[str, str]:
    """Return every hosted locale with its database alias: `{"enUS": "map_enUS", …}`."""
    return {locale: alias(locale) for locale in hosted()}


def of_alias(alias: str) -> str:
    """Return the locale of a database alias: `map_deDE` → `deDE`."""
    return alias.removeprefix(MAP_PREFIX)
