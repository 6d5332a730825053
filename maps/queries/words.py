"""Words shown in place of names that nobody has sent yet, in the language of the data."""

from __future__ import annotations

from core.router import MAP_PREFIX

_CREATURE = {"de": "Kreatur", "en": "Creature", "es": "Criatura", "fr": "Créature", "pt": "Criatura", "ru": "Существо"}
_ITEM = {"de": "Gegenstand", "en": "Item", "es": "Objeto", "fr": "Objet", "pt": "Item", "ru": "Предмет"}


def language(alias: str) -> str:
    """Return the language of a locale's data by its database alias: `map_deDE` → `de`."""
    return alias.removeprefix(MAP_PREFIX)[:2]


def creature(alias: str) -> str:
    """Return the word for a creature without a known name, to be followed by its id."""
    return _CREATURE.get(language(alias), _CREATURE["en"])


def item(alias: str) -> str:
    """Return the word for an item without a known name, to be followed by its id."""
    return _ITEM.get(language(alias), _ITEM["en"])
