"""Helpers for tests of published files."""

from __future__ import annotations

import gzip
from pathlib import Path

import orjson

from maps.models import ChangedCount, Habitat, StaleFile, StaleSpawns
from maps.publish import files
from maps.publish.kinds import ZONE_IMAGES, ZONE_MAP, Kind
from tests.maps.factories import DE


def change(mob: int, zone_id: int) -> None:
    StaleSpawns.objects.using(DE).get_or_create(mob=mob, zone=zone_id)


def recount(*what: tuple[str, int]) -> None:
    for kind, number in what:
        ChangedCount.objects.using(DE).get_or_create(kind=kind, number=number)


def stale(kind: Kind = ZONE_MAP) -> set[int]:
    return set(StaleFile.objects.using(DE).filter(kind=kind.name).values_list("number", flat=True))


def file(number: int, kind: Kind = ZONE_MAP) -> Path:
    return files.path("deDE", kind, number)


def content(number: int, kind: Kind = ZONE_MAP) -> dict[str, object]:
    return orjson.loads(gzip.decompress(file(number, kind).read_bytes()))


def images(number: int) -> dict[str, bytes]:
    """Return a zone's images by name, without those stored under their version."""
    found = files.folder("deDE", ZONE_IMAGES).glob(f"{number}.*.png")
    return {each.name.partition(".")[2]: each.read_bytes() for each in found if each.name.count(".") == 2}


def wolf_zone() -> int:
    return int(Habitat.objects.using(DE).get(subject=7).zone)
