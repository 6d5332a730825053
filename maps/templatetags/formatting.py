"""Template filters that format figures in the language of the page."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import template
from django.utils import formats
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from maps.pages.context import LOCALE_NAMES

register = template.Library()

NBSP = "\N{NO-BREAK SPACE}"
COPPER_PER_SILVER = 100
COPPER_PER_GOLD = 10_000


@register.filter
def number(value: float | None, decimals: int | None = None) -> str:
    """Return a number with the language's separators: 12345 → `12,345` or `12.345`."""
    if value is None:
        return "–"
    return formats.number_format(value, decimals, use_l10n=True, force_grouping=True)


@register.filter
def percent(rate: float | None) -> str:
    """Return a share as percent, with more digits if it is small: 0.1234 → `12.3 %`, 0.00042 → `0.042 %`."""
    if rate is None:
        return "–"
    share = Decimal(str(rate)) * 100
    decimals = 1 if share >= 1 or share == 0 else 2 if share >= Decimal("0.1") else 3
    return f"{formats.number_format(round(share, decimals), decimals, use_l10n=True)}{NBSP}%"


@register.filter
def money(copper: float | None) -> str:
    """Return an amount of copper in gold, silver and copper: 12034 → `1 g 20 s 34 c`."""
    if copper is None:
        return "–"
    gold, left = divmod(round(copper), COPPER_PER_GOLD)
    silver, left = divmod(left, COPPER_PER_SILVER)
    parts = [
        (gold, pgettext("money, gold", "g")),
        (silver, pgettext("money, silver", "s")),
        (left, pgettext("money, copper", "c")),
    ]
    written = [f"{number(amount)}{NBSP}{unit}" for amount, unit in parts if amount]
    return " ".join(written) or f"0{NBSP}{parts[-1][1]}"


@register.filter
def levels(mob: Mapping[str, Any]) -> str:
    """Return the levels seen of a creature: `30–31`, `30`, `??` (boss), `30, ??` (both)."""
    low, high = mob.get("min"), mob.get("max")
    written = []
    if low is not None and high is not None:
        written.append(str(low) if low == high else f"{low}–{high}")
    if mob.get("boss"):
        written.append("??")
    return ", ".join(written) or "–"


@register.filter
def bar(rate: float | None) -> str:
    """Return a share as a length from 0 to 100 for an SVG bar, with a decimal point in any language."""
    return f"{_length(rate):.2f}"


@register.filter
def interval_length(entry: Mapping[str, Any]) -> str:
    """Return the length from an entry's `low` to its `high`, 0.00 to 100.00."""
    return f"{_length(entry.get('high')) - _length(entry.get('low')):.2f}"


def _length(rate: float | None) -> float:
    return min(max(rate or 0.0, 0.0), 1.0) * 100


@register.filter
def locale_name(locale: str) -> str:
    """Return the own name of a locale's language: `deDE` → `Deutsch`."""
    return LOCALE_NAMES.get(locale, locale)


@register.filter
def html_lang(locale: str) -> str:
    """Return a locale as a language tag for HTML: `deDE` → `de`."""
    return locale[:2]


@register.filter
def kind_name(kind: str) -> str:
    """Return the translated name of a kind of source."""
    return {
        "kill": _("Killed"),
        "skinning": _("Skinning"),
        "pickpocketing": _("Pickpocketing"),
        "herb": _("Herbs"),
        "ore": _("Ore"),
        "engineering": _("Engineering"),
        "chest": _("Chests and locks"),
        "item": _("Opened items"),
        "disenchanting": _("Disenchanting"),
        "prospecting": _("Prospecting"),
        "milling": _("Milling"),
        "fishing": _("Fishing"),
    }.get(kind, kind)


@register.simple_tag
def player_text(text: str | None, locale: str) -> SafeString:
    """Return a name from uploads: escaped, marked with its language, and isolated.

    `<bdi>` keeps right-to-left marks in the name from affecting the text around it.
    """
    return format_html('<bdi lang="{}">{}</bdi>', html_lang(locale), text or "")
