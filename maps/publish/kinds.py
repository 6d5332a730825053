"""The kinds of published files. A file contains what the API answers for the same subject, from the same query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from maps import queries
from maps.images import zone_images
from maps.queries.shapes import Row

#: Name of the part that is JSON, compressed with gzip.
JSON = "json.gz"
#: The parts of a published file by name: JSON values, which are compressed when written, or bytes.
Parts = Mapping[str, Row | bytes]
#: Creatures with more coordinates than this have no file of habitats. Only malicious uploads bring that many;
#: the answer is computed on request.
MAX_POSITIONS = 100_000
#: The same for gathering sources. A page asks for one zone of a herb that grows everywhere: up to this size, taking
#: the zone out of the file takes 5 ms.
MAX_GATHERED = 20_000


@dataclass(frozen=True)
class Kind:
    """A kind of published files, one per number (the id of its subject)."""

    #: As in `StaleFile.kind`.
    name: str
    #: Folder below the locale's.
    folder: str
    #: Takes a database alias and a number, returns the parts of the file: none if there is to be no file.
    build: Callable[[str, int], Parts]
    #: Whether each version has an address of its own as well, which browsers may cache forever.
    versioned: bool = False


def _json(body: Row | None) -> Parts:
    return {} if body is None else {JSON: body}


def _mob(alias: str, number: int) -> Parts:
    """Return a creature as the API does. A raw id that is shown under another id redirects and has no file."""
    found = queries.mob(alias, number)
    return _json(found if found is not None and found["id"] == number else None)


def _zone_map(alias: str, number: int) -> Parts:
    return _json(queries.zone_map(alias, number))


def _zone_sources(alias: str, number: int) -> Parts:
    return _json(queries.zone_sources(alias, number))


def _mob_habitats(alias: str, number: int) -> Parts:
    """Return a creature's habitats. One without coordinates has no such file, nor one with too many."""
    if not 0 < queries.mob_position_count(alias, number) <= MAX_POSITIONS:
        return {}
    found = queries.mob_habitats(alias, number)
    return _json(found if found is not None and found["id"] == number and found["places"] else None)


def _source(alias: str, number: int) -> Parts:
    """Return a gathering source as the API does. One that is shown under another id has no file.

    Other sources have none: there may be as many skinning sources as creatures, and they are seldom read.
    """
    found = queries.source(alias, number)
    shown = found is not None and found["id"] == number and found["kind"] in queries.GATHERED
    return _json(found if shown else None)


def _source_habitats(alias: str, number: int) -> Parts:
    """Return the habitats of a gathering source. One with too many coordinates has no such file."""
    if not 0 < queries.source_position_count(alias, number) <= MAX_GATHERED:
        return {}
    head = queries.source_head(alias, number)
    shown = head is not None and head["id"] == number and head["kind"] in queries.GATHERED
    return _json(queries.source_habitats(alias, number) if shown else None)


def _item(alias: str, number: int) -> Parts:
    """Return the first page of the sources of an item."""
    return _json(queries.item(alias, number))


ZONE_MAP = Kind("zone-map", "zone-maps", _zone_map, versioned=True)
ZONE_SOURCES = Kind("zone-sources", "zone-sources", _zone_sources)
ZONE_IMAGES = Kind("zone-images", "zone-images", zone_images.parts, versioned=True)
MOB = Kind("mob", "mobs", _mob)
MOB_HABITATS = Kind("mob-habitats", "mob-habitats", _mob_habitats)
ITEM = Kind("item", "items", _item)
SOURCE = Kind("source", "sources", _source)
SOURCE_HABITATS = Kind("source-habitats", "source-habitats", _source_habitats)
KINDS = (ZONE_MAP, ZONE_SOURCES, ZONE_IMAGES, MOB, MOB_HABITATS, ITEM, SOURCE, SOURCE_HABITATS)
BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True)
class BuildGroup:
    """Kinds that are built together. Of equally old files those of the first kind are built first."""

    kinds: tuple[Kind, ...]
    #: How many of the oldest and of the latest files are built in one transaction: about a tenth of a second's work.
    batch: int


#: One batch of each group is built per round, so that fifty thousand creatures do not delay a map, and maps that
#: change all the time do not delay the creatures.
BUILD_GROUPS = (
    BuildGroup((ZONE_MAP, ZONE_SOURCES), batch=1),
    BuildGroup((MOB, MOB_HABITATS, SOURCE, SOURCE_HABITATS, ITEM), batch=20),
    BuildGroup((ZONE_IMAGES,), batch=1),
)
