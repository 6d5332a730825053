"""Bring documents up to date with the tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.conf import settings
from django.db import connections, transaction

from core import locales
from maps.images.zone_images import PREVIEW
from maps.publish import files, invalidation
from maps.publish.kinds import BY_NAME, JSON, LANES, MOB, ZONE_MAP, ZONE_PICTURES, Kind, Lane, Parts


def make_stale(alias: str, *, wait: bool = False) -> Iterator[int]:
    """Make the documents that are older than the tables; yields how many after each round through the lanes.

    A mark is gone only if its document is on the disk. One process at a time does it for a locale; another ends at
    once, or takes turns with it if it is to `wait`.
    """
    invalidation.cut_rests(alias)
    while True:
        while invalidation.spread(alias, wait=wait):
            pass
        made = sum(_make_some(alias, lane, wait) for lane in LANES) if settings.PUBLISH_DOCUMENTS else 0
        if not made:
            return
        yield made


def _make_some(alias: str, lane: Lane, wait: bool) -> int:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        if not invalidation.alone(cursor, wait=wait):
            return 0
        taken = invalidation.take(cursor, lane)
        for name, marked in groupby(taken, key=itemgetter(0)):
            _make(alias, cursor, BY_NAME[name], [number for _name, number in marked])
    return len(taken)


def _make(alias: str, cursor: Any, kind: Kind, numbers: list[int]) -> None:
    locale = locales.of_alias(alias)
    made = {number: kind.make(alias, number) for number in numbers}
    if kind is MOB:
        renamed = [number for number, parts in made.items() if _told_name(locale, number) != _name(parts)]
        # Items' documents tell by name who gives them.
        invalidation.mark_items_of(cursor, renamed)
    elif kind is ZONE_MAP:
        invalidation.hurry(cursor, ZONE_PICTURES, [number for number in numbers if not _has_pictures(locale, number)])
    files.write({files.place(locale, kind, number): parts for number, parts in made.items()}, versioned=kind.versioned)


def _told_name(locale: str, mob: int) -> str | None:
    """Return the name in a creature's document as it is on the disk."""
    found = files.read(files.path(locale, MOB, mob))
    return found["name"] if found else None


def _name(parts: Parts) -> str | None:
    body = parts.get(JSON)
    return body["name"] if isinstance(body, dict) else None


def _has_pictures(locale: str, zone: int) -> bool:
    return files.path(locale, ZONE_PICTURES, zone, PREVIEW).exists()
