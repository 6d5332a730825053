"""Which documents there are. What is in one is what the API answers for the same thing, by the same query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from maps import queries
from maps.images import zone_images
from maps.queries.database import Row

#: The one part of a published file that is JSON, compressed with gzip.
JSON = "json.gz"
#: The parts of a published file by name: JSON values, which are compressed, or bytes as they are.
Parts = Mapping[str, Row | bytes]
#: What has more coordinates than this, as only malicious uploads make, is told when somebody asks for it.
MOST_POSITIONS = 100_000
#: Of a herb that grows everywhere a page asks for one zone: up to here that is told from its document in 5 ms.
MOST_GATHERED = 20_000


@dataclass(frozen=True)
class Kind:
    """A kind of documents, one per number (the id of what it is about)."""

    #: As in `StaleFile.kind`.
    name: str
    #: Below a locale's folder.
    folder: str
    #: Gets a database alias and a number, returns the parts of the document, none where there is to be no document.
    make: Callable[[str, int], Parts]
    #: Whether each content has an address of its own as well, which browsers may keep for good.
    versioned: bool = False


def _json(body: Row | None) -> Parts:
    return {} if body is None else {JSON: body}


def _mob(alias: str, number: int) -> Parts:
    """Return a creature as the API does; one that is shown under another id has no document, but redirects."""
    found = queries.mob(alias, number)
    return _json(found if found is not None and found["id"] == number else None)


def _zone_map(alias: str, number: int) -> Parts:
    return _json(queries.zone_map(alias, number))


def _zone_sources(alias: str, number: int) -> Parts:
    return _json(queries.zone_sources(alias, number))


def _mob_places(alias: str, number: int) -> Parts:
    """Return where a creature is; one that is nowhere has no such document, nor one that is in too many places."""
    if not 0 < queries.mob_position_count(alias, number) <= MOST_POSITIONS:
        return {}
    found = queries.mob_places(alias, number)
    return _json(found if found is not None and found["id"] == number and found["places"] else None)


def _source(alias: str, number: int) -> Parts:
    """Return a gathering place as the API does; one that is shown under another id has no document.

    Other sources have none: there may be as many ways to skin as there are creatures, and few ask for them.
    """
    found = queries.source(alias, number)
    shown = found is not None and found["id"] == number and found["kind"] in queries.GATHERED
    return _json(found if shown else None)


def _source_places(alias: str, number: int) -> Parts:
    """Return where something is gathered, for those that have a document of their own."""
    if not 0 < queries.source_position_count(alias, number) <= MOST_GATHERED:
        return {}
    head = queries.source_head(alias, number)
    shown = head is not None and head["id"] == number and head["kind"] in queries.GATHERED
    return _json(queries.source_places(alias, number) if shown else None)


def _item(alias: str, number: int) -> Parts:
    """Return the first page of what gives an item."""
    return _json(queries.item(alias, number))


ZONE_MAP = Kind("zone-map", "zone-maps", _zone_map, versioned=True)
ZONE_SOURCES = Kind("zone-sources", "zone-sources", _zone_sources)
ZONE_PICTURES = Kind("zone-pictures", "zone-pictures", zone_images.parts, versioned=True)
MOB = Kind("mob", "mobs", _mob)
MOB_PLACES = Kind("mob-places", "mob-places", _mob_places)
ITEM = Kind("item", "items", _item)
SOURCE = Kind("source", "sources", _source)
SOURCE_PLACES = Kind("source-places", "source-places", _source_places)
KINDS = (ZONE_MAP, ZONE_SOURCES, ZONE_PICTURES, MOB, MOB_PLACES, ITEM, SOURCE, SOURCE_PLACES)
BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True)
class Lane:
    """Kinds whose documents are made by the oldest and latest marks; of equally old ones the first kind's before."""

    kinds: tuple[Kind, ...]
    #: How many of the oldest and of the latest are made in one transaction: about a tenth of a second's work.
    batch: int


#: They take turns: fifty thousand creatures don't keep a map waiting, nor the maps of a busy hour the creatures.
LANES = (
    Lane((ZONE_MAP, ZONE_SOURCES), batch=1),
    Lane((MOB, MOB_PLACES, SOURCE, SOURCE_PLACES, ITEM), batch=20),
    Lane((ZONE_PICTURES,), batch=1),
)
