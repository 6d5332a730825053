"""The `Loot` elements of a batch: what was looted, where, at which difficulty, and the texts of their lootings.

Nine of ten elements are `Loot`; of their names each distinct part is read once for the whole batch.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from lxml import etree

from ingest.batch.texts import Ints
from ingest.formats.mobmapdata import grammar

T = TypeVar("T")

DIFFICULTIES = ["", *grammar.DIFFICULTIES]
#: Sources without a number: an unknown one, and the one that depends on the zone.
UNKNOWN, _FISHING = -1, -2


class Looted(NamedTuple):
    """`Loot` elements, arrays and lists in step.

    `no` is the upload's; `source` an index into `sources` (`UNKNOWN`: none) and `waters`, which for fishing have the
    zone's number, else -1; `place` a row of `places`: zone, floor, index into `DIFFICULTIES`. `xy` is packed as in
    `grammar.pack`.
    """

    no: Ints
    source: Ints
    place: Ints
    xy: Ints
    texts: list[bytes]
    places: Ints
    sources: list[grammar.Source]
    waters: Ints


#: A name may be written in endless ways, with references or blanks.
REMEMBERED = 1 << 16


class AsWritten(dict[bytes, T]):
    """What `read` makes of an attribute's value or its part, by how it is written in XML; most are read once."""

    def __init__(self, read: Callable[[str], T]) -> None:
        self._read = read

    def __missing__(self, raw: bytes) -> T:
        if len(self) >= REMEMBERED:
            self.clear()
        known = self[raw] = self._read(etree.fromstring(b'<Written as="%b"/>' % raw).get("as", ""))
        return known


class Loots:
    """Collects the `Loot` elements of a batch; `zones` numbers the names of zones and grows.

    The methods raise `grammar.BadLootName` and, for text that is no XML, `etree.XMLSyntaxError`.
    """

    def __init__(self, zones: dict[str, int]) -> None:
        self._zones = zones
        self._sources: dict[grammar.Source, int] = {}
        self._places: dict[tuple[int, int, int], int] = {}
        #: Numbers of sources and of places by how a name's parts are written.
        self.written = {
            version: (
                AsWritten(partial(self._source, by_id=version == 44, version=version)),
                AsWritten(partial(self._place_as_written, version=version)),
            )
            for version in (42, 44)
        }
        #: Rows of `no`, source, place and packed coordinate, end to end, and the texts in step.
        self.rows = array("q")
        self.texts: list[bytes] = []

    def add(self, names: Sequence[str], texts: Sequence[str], no: int, version: int) -> None:
        """Take elements of whatever form."""
        for source, x, y, zone, floor in (grammar.loot_fields(name, version) for name in names):
            if (x == "-1") != (y == "-1"):
                raise grammar.BadLootName("only one axis of a coordinate is unknown")
            number = self._source(source, floor is not None, version)
            self.rows.extend((no, number, self._place(zone, floor or "0"), grammar.pack(x, y)))
        self.texts += [text.encode() for text in texts]

    def finish(self) -> Looted:
        """Return what was collected; nothing is collected after it."""
        no, source, place, xy = np.array(self.rows, dtype=np.int64).reshape(-1, 4).T.copy()
        del self.rows
        places = np.array(list(self._places), dtype=np.int64).reshape(-1, 3)
        # Fishing has no number yet, and gets one for each zone.
        fished = np.flatnonzero(source == _FISHING)
        waters, water_of = np.unique(places[place[fished], 0], return_inverse=True)
        source[fished] = len(self._sources) + water_of
        waters = np.concatenate([np.full(len(self._sources), -1, dtype=np.int64), waters])
        sources = [*self._sources, *[grammar.Source("fishing")] * (len(waters) - len(self._sources))]
        return Looted(no, source, place, xy, self.texts, places, sources, waters)

    def _source(self, raw: str, by_id: bool, version: int) -> int:
        source = grammar.source_of(raw, by_id, version)
        special = {"unknown": UNKNOWN, "fishing": _FISHING}
        return special[source.kind] if source.kind in special else self._sources.setdefault(source, len(self._sources))

    def _place_as_written(self, raw: str, version: int) -> int:
        zone, _, floor = raw.rpartition("#") if version == 44 else (raw, "", "0")
        if not grammar.is_natural(floor):
            raise grammar.BadLootName(f"{raw[:120]!r} ends with no floor")
        return self._place(zone, floor)

    def _place(self, zone: str, floor: str) -> int:
        name, difficulty = grammar.instance(zone)
        place = (self._zones.setdefault(name, len(self._zones)), int(floor), DIFFICULTIES.index(difficulty))
        return self._places.setdefault(place, len(self._places))
