"""Bring documents up to date with the tables."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db import connections, transaction

from maps import locales
from maps.documents import files, marks
from maps.documents.kinds import BY_NAME, LANES, MOB, Lane
from maps.queries.database import Row


def make_stale(alias: str, *, wait: bool = False) -> Iterator[int]:
    """Make the documents that are older than the tables; yields how many after each round through the lanes.

    A mark is gone only if its document is on the disk. One process at a time does it for a locale; another ends at
    once, or takes turns with it if it is to `wait`.
    """
    while True:
        while marks.spread(alias, wait=wait):
            pass
        made = sum(_make_some(alias, lane, wait) for lane in LANES) if settings.PUBLISH_DOCUMENTS else 0
        if not made:
            return
        yield made


def _make_some(alias: str, lane: Lane, wait: bool) -> int:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        if not marks.alone(cursor, wait=wait):
            return 0
        name, numbers = marks.take(cursor, lane)
        if not numbers:
            return 0
        kind, locale = BY_NAME[name], locales.of_alias(alias)
        bodies = {files.path(locale, kind, number): kind.body(alias, number) for number in numbers}
        if kind is MOB:
            names = zip(numbers, bodies.items(), strict=True)
            renamed = [number for number, (file, body) in names if _name(files.read(file)) != _name(body)]
            # Items' documents tell by name who gives them.
            marks.mark_items_of(cursor, renamed)
        files.write(bodies, versioned=kind.versioned)
    return len(numbers)


def _name(body: Row | None) -> str | None:
    return body["name"] if body else None
