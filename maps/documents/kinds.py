"""Which documents there are. What is in one is what the API answers for the same thing, by the same query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from maps import queries, zone_pictures
from maps.documents.files import JSON, Parts
from maps.queries.database import Row


@dataclass(frozen=True)
class Kind:
    """A kind of documents, one per number (the id of what it is about)."""

    #: As in `StaleDocument.kind`.
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


def _item(alias: str, number: int) -> Parts:
    """Return the first page of what gives an item."""
    return _json(queries.item(alias, number))


ZONE_MAP = Kind("zone-map", "zone-maps", _zone_map, versioned=True)
ZONE_PICTURES = Kind("zone-pictures", "zone-pictures", zone_pictures.parts, versioned=True)
MOB = Kind("mob", "mobs", _mob)
ITEM = Kind("item", "items", _item)
KINDS = (ZONE_MAP, ZONE_PICTURES, MOB, ITEM)
BY_NAME = {kind.name: kind for kind in KINDS}


@dataclass(frozen=True)
class Lane:
    """Kinds whose documents are made in the order of their marks; of equally old ones the first kind's before."""

    kinds: tuple[Kind, ...]
    #: How many are made in one transaction: about a tenth of a second's work.
    batch: int


#: They take turns: fifty thousand creatures don't keep a map waiting, nor the maps of a busy hour the creatures.
LANES = (Lane((ZONE_MAP,), batch=1), Lane((MOB, ITEM), batch=20), Lane((ZONE_PICTURES,), batch=1))
