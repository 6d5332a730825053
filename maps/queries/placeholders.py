"""Words that are shown instead of unknown names, in the language of the data: `Creature 4119`."""

from __future__ import annotations

from core.router import MAP_PREFIX

_CREATURE = {"de": "Kreatur", "en": "Creature", "es": "Criatura", "fr": "Créature", "pt": "Criatura", "ru": "Существо"}
_ITEM = {"de": "Gegenstand", "en": "Item", "es": "Objeto", "fr": "Objet", "pt": "Item", "ru": "Предмет"}


def language(alias: str) -> str:
    """Return the language of a locale's data by its database alias: `map_deDE` → `de`."""
    return alias.removeprefix(MAP_PREFIX)[:2]


def creature(alias: str) -> str:
    """Return the word for a creature without a known name, which its id follows."""
    return _CREATURE.get(language(alias), _CREATURE["en"])


def item(alias: str) -> str:
    """Return the word for an item without a known name, which its id follows."""
    return _ITEM.get(language(alias), _ITEM["en"])
