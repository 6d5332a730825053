"""Build published files that are stale."""

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
from maps.publish.kinds import BUILD_GROUPS, BY_NAME, JSON, MOB, ZONE_IMAGES, ZONE_MAP, BuildGroup, Kind, Parts


def build_stale(alias: str, *, wait: bool = False) -> Iterator[int]:
    """Build the stale files of a locale. Yields how many after each round through the groups of kinds.

    A row of `stale_file` is removed only if its file is on disk. Only one process at a time builds a locale's files.
    Another one ends at once, or with `wait` it waits for the lock in each round.
    """
    invalidation.cap_delays(alias)
    while True:
        while invalidation.propagate(alias, wait=wait):
            pass
        built = sum(_build_some(alias, group, wait) for group in BUILD_GROUPS) if settings.PUBLISH_FILES else 0
        if not built:
            return
        yield built


def _build_some(alias: str, group: BuildGroup, wait: bool) -> int:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        if not invalidation.lock_files(cursor, wait=wait):
            return 0
        taken = invalidation.take_stale(cursor, group)
        for name, stale in groupby(taken, key=itemgetter(0)):
            _build(alias, cursor, BY_NAME[name], [number for _name, number in stale])
    return len(taken)


def _build(alias: str, cursor: Any, kind: Kind, numbers: list[int]) -> None:
    locale = locales.of_alias(alias)
    built = {number: kind.build(alias, number) for number in numbers}
    if kind is MOB:
        renamed = [number for number, parts in built.items() if _published_name(locale, number) != _name(parts)]
        # The files of items contain the names of the creatures that give them.
        invalidation.invalidate_items_of(cursor, renamed)
    elif kind is ZONE_MAP:
        invalidation.prioritize(cursor, ZONE_IMAGES, [number for number in numbers if not _has_images(locale, number)])
    files.write({files.stem(locale, kind, number): parts for number, parts in built.items()}, versioned=kind.versioned)


def _published_name(locale: str, mob: int) -> str | None:
    """Return the name in a creature's published file."""
    found = files.read(files.path(locale, MOB, mob))
    return found["name"] if found else None


def _name(parts: Parts) -> str | None:
    body = parts.get(JSON)
    return body["name"] if isinstance(body, dict) else None


def _has_images(locale: str, zone: int) -> bool:
    return files.path(locale, ZONE_IMAGES, zone, PREVIEW).exists()
