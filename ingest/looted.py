"""The `Loot` elements of a batch: what was looted, where, at which difficulty, and the texts of their lootings.

Nine of ten elements are `Loot`, nearly all of one form. Those are cut out of the document by a pattern, before
lxml reads the rest; of their names each distinct part is read once for the whole batch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from lxml import etree

from ingest.formats.mobmapdata import grammar
from ingest.texts import Ints, concatenated

DIFFICULTIES = ["", *grammar.DIFFICULTIES]
#: Sources without a number: an unknown one, and the one that depends on the zone.
UNKNOWN, _FISHING = -1, -2
#: By version: a source without `#`, x and y, the rest of the name, the text. Every part ends at the first sign that
#: may end it, so nothing is tried twice, and none but the text is longer than a name with escapes may be.
#: Version 43 writes names like either of the others, which only a whole name tells.
_USUAL = {
    version: re.compile(rb'<Loot name="([^#]{1,999}+)#([-0-9.]{1,5}+#[-0-9.]{1,5}+)#(%b)">([^<]++)</Loot>' % place)
    for version, place in ((42, rb'[^#"]{1,999}+'), (44, rb"[^#]{1,999}+#[0-9]{1,9}+"))
}


class Looted(NamedTuple):
    """`Loot` elements, arrays and lists in step.

    `no` is the upload's; `source` an index into `sources` (`UNKNOWN`: none) and `waters`, which for fishing have the
    zone's number, else -1; `place` a row of `places`: zone, floor, index into `DIFFICULTIES`. `xy` is as written,
    `x#y`.
    """

    no: Ints
    source: Ints
    place: Ints
    xy: list[bytes]
    texts: list[bytes]
    places: Ints
    sources: list[grammar.Source]
    waters: Ints


class _Unusual(Exception):
    """A name that can be read in several ways, or no name."""


class _Numbers(dict[bytes, int]):
    """The number of every part of a name that was asked for, as it stands in the document."""

    def __init__(self, read: Callable[[str], int]) -> None:
        self._read = read

    def __missing__(self, raw: bytes) -> int:
        if b'"' in raw or b"<" in raw:
            raise _Unusual
        number = self[raw] = self._read(etree.fromstring(b'<Loot name="%b"/>' % raw).get("name", ""))
        return number


class Loots:
    """Collects the `Loot` elements of a batch; `zones` numbers the names of zones and grows.

    The methods raise `grammar.BadLootName` and, for text that is no XML, `etree.XMLSyntaxError`.
    """

    def __init__(self, zones: dict[str, int]) -> None:
        self._zones = zones
        self._sources: dict[grammar.Source, int] = {}
        self._places: dict[tuple[int, int, int], int] = {}
        self._numbers = {
            version: (
                _Numbers(partial(self._source, by_id=version == 44, version=version)),
                _Numbers(partial(self._place_as_written, version=version)),
            )
            for version in _USUAL
        }
        self._parts: list[tuple[int, Ints, Ints]] = []
        self._xy: list[bytes] = []
        self._texts: list[bytes] = []

    def cut(self, document: bytes, no: int, version: int) -> bytes:
        """Take the elements of the usual form out of a document and return the rest of it.

        The document is UTF-8 without comments and CDATA sections, as the door's `guard` leaves it: `<` begins a tag,
        an element that is cut out is a whole one, and the rest is as well-formed as the document was.
        """
        if version not in _USUAL:
            return document
        source_of, place_of = self._numbers[version]
        rest, sources, xys, places, texts = (
            parts[at::5] for parts in [_USUAL[version].split(document)] for at in range(5)
        )
        if b"&" in b"".join(texts):
            return document
        try:
            place = np.fromiter(map(place_of.__getitem__, places), dtype=np.int64, count=len(places))
            source = np.fromiter(map(source_of.__getitem__, sources), dtype=np.int64, count=len(sources))
        except _Unusual:
            return document
        self._add(no, source, place, xys, texts)
        return b"".join(rest)

    def add(self, names: Sequence[str], texts: Sequence[str], no: int, version: int) -> None:
        """Take elements of whatever form."""
        fields = [grammar.loot_fields(name, version) for name in names]
        self._add(
            no,
            np.array(
                [self._source(source, floor is not None, version) for source, *_, floor in fields], dtype=np.int64
            ),
            np.array([self._place(zone, floor or "0") for *_, zone, floor in fields], dtype=np.int64),
            [f"{x}#{y}".encode() for _, x, y, *_ in fields],
            [text.encode() for text in texts],
        )

    def finish(self) -> Looted:
        """Return what was collected; nothing is collected after it."""
        self._numbers.clear()  # of a document full of names this is most of what is held
        no = np.repeat(
            np.array([no for no, *_ in self._parts], dtype=np.int64), [len(source) for _, source, _ in self._parts]
        )
        source = concatenated([source for _, source, _ in self._parts])
        place = concatenated([place for *_, place in self._parts])
        places = np.array(list(self._places), dtype=np.int64).reshape(-1, 3)
        # Fishing has no number yet, and gets one for each zone.
        fished = np.flatnonzero(source == _FISHING)
        waters, water_of = np.unique(places[place[fished], 0], return_inverse=True)
        source[fished] = len(self._sources) + water_of
        waters = np.concatenate([np.full(len(self._sources), -1, dtype=np.int64), waters])
        sources = [*self._sources, *[grammar.Source("fishing")] * (len(waters) - len(self._sources))]
        return Looted(no, source, place, self._xy, self._texts, places, sources, waters)

    def _add(self, no: int, source: Ints, place: Ints, xys: Sequence[bytes], texts: Sequence[bytes]) -> None:
        self._parts.append((no, source, place))
        self._xy += xys
        self._texts += texts

    def _source(self, raw: str, by_id: bool, version: int) -> int:
        source = grammar.source_of(raw, by_id, version)
        special = {"unknown": UNKNOWN, "fishing": _FISHING}
        return special[source.kind] if source.kind in special else self._sources.setdefault(source, len(self._sources))

    def _place_as_written(self, raw: str, version: int) -> int:
        zone, _, floor = raw.rpartition("#") if version == 44 else (raw, "", "0")
        if not grammar.is_natural(floor):
            raise _Unusual
        return self._place(zone, floor)

    def _place(self, zone: str, floor: str) -> int:
        name, difficulty = grammar.instance(zone)
        place = (self._zones.setdefault(name, len(self._zones)), int(floor), DIFFICULTIES.index(difficulty))
        return self._places.setdefault(place, len(self._places))
