"""XML columns: the elements of a batch of documents, read one document at a time into columns of attributes.

Nearly all elements are in the addon's own form and read in C (`ingest.formats.mobmapdata.scan`); lxml reads the
remainder.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO, cast

from lxml import etree

from ingest.batch.loot_columns import CACHE_SIZE, LootReader
from ingest.formats.mobmapdata import grammar, slow_path
from ingest.formats.mobmapdata.attribute_cache import AttributeCache
from ingest.formats.mobmapdata.compiled import Columns
from ingest.formats.mobmapdata.elements import drop

#: Elements need no index by id. `huge_tree` lifts libxml2's limits, which depend on the pieces it is given: the upload
#: endpoint has checked lengths already. After the precheck there are no entities that could grow.
_PARSER = etree.XMLParser(collect_ids=False, no_network=True, huge_tree=True)
#: Documents below this size are read as trees, others in pieces of this size.
PIECE_BYTES = 1 << 20


class XmlColumns:
    """The elements of a batch as rows of numbers, concatenated in arrays; `loots` holds the `Loot` elements.

    zones:      numbers of the zones' names.
    mobs:       int64, 6 per `Mob`: upload's number, id (0: unknown), lowest and highest level (-1: a boss), reaction
                and day number (-1: not known).
    mob_names:  the name of each `Mob`, with the addon's escapes.
    mob_zones:  int64, 4 per `Zone` with coordinates: number of its `Mob`, zone, floor, number of coordinates.
    xy:         int32, packed coordinates in the order of `mob_zones`.
    """

    def __init__(self) -> None:
        self.zones: dict[str, int] = {}
        self.loots = LootReader(self.zones)
        self.mobs = array("q")
        self.mob_names: list[str] = []
        self.mob_zones = array("q")
        self.xy = array("i")
        #: A piece may end within a `Mob`: of each `Zone` so far its zone, floor and number of coordinates, and these.
        self._open_zones: list[tuple[int, int, int]] = []
        self._open_xy = array("i")
        self._zone_cache = AttributeCache(lambda attributes: self._zone_number(attributes["name"]), CACHE_SIZE)
        self._name_cache = AttributeCache(lambda attributes: attributes["name"], CACHE_SIZE)

    def collect(self, stream: BinaryIO, no: int, version: int) -> None:
        """Add a document's elements.

        Raises `etree.XMLSyntaxError`, `grammar.BadLootName`, `KeyError` for a missing attribute, `ValueError` or
        `OverflowError` for one that is no number of its kind, and `ValueError` for a text against the grammar.
        """
        head = stream.read(PIECE_BYTES)
        if len(head) < PIECE_BYTES:
            self._add_tree(etree.fromstring(self._extract(head, no, version), _PARSER), no, version)
        else:
            self._add_pieces(_pieces(head, stream), no, version)

    def forget_names(self) -> None:
        """Free the caches, most of the memory held for a document full of names. Nothing is collected afterwards."""
        self.loots.forget_names()
        self._zone_cache.clear()
        self._name_cache.clear()

    def _extract(self, document: bytes, no: int, version: int) -> bytes:
        """Read the elements in the addon's own form of a document, or of a piece of one; returns the remainder.

        The document has passed the precheck, so it is UTF-8 without comments and CDATA sections: `<` begins a tag, an
        extracted element is a whole one, and the remainder is as well-formed as the document was.
        """
        if version not in grammar.FAST_VERSIONS:
            return document
        numbers = (self.loots.sources[version], self.loots.locations[version], self._zone_cache, self._name_cache)
        columns = Columns(document, version, no, len(self.mob_names), *numbers)
        self.loots.extend(columns)
        self.mobs.frombytes(columns.mobs)
        self.mob_names += columns.mob_names
        self.mob_zones.frombytes(columns.zones)
        self.xy.frombytes(columns.xy)
        return columns.remainder

    def _zone_number(self, raw: str) -> int:
        return self.zones.setdefault(grammar.unescape(raw), len(self.zones))

    def _add_tree(self, root: etree._Element, no: int, version: int) -> None:
        """Read a document at once: twice as fast as in pieces, with up to 25 times its size in memory."""
        for mob in root.iterchildren("Mob"):
            for zone in mob:
                self._add_zone(zone)
            self._add_mob(mob, no)
        for loot in root.iterchildren("Loot"):
            self._add_loot(loot, no, version)

    def _add_pieces(self, pieces: Iterator[bytes], no: int, version: int) -> None:
        """Read a document element by element, with one piece of it in memory at a time."""
        parser = etree.XMLPullParser(events=("end",), no_network=True, huge_tree=True)
        for piece in pieces:
            parser.feed(self._extract(piece, no, version))
            for _, element in cast("Iterator[tuple[str, etree._Element]]", parser.read_events()):
                parent = element.getparent()
                if element.tag == "Loot":
                    self._add_loot(element, no, version)
                elif element.tag == "Mob":
                    self._add_mob(element, no)
                elif element.tag == "Zone" and parent is not None and parent.tag == "Mob":
                    self._add_zone(element)
                drop(element)
        parser.close()

    def _add_loot(self, element: etree._Element, no: int, version: int) -> None:
        name = _attributes(element)["name"]
        if element.text:  # an element without lootings says nothing
            self.loots.add(name, slow_path.lootings(element.text, version), no, version)

    def _add_mob(self, element: etree._Element, no: int) -> None:
        attributes = _attributes(element)
        numbers = (attributes["min"], attributes["max"], attributes.get("react", "-1"), attributes.get("date", "-1"))
        self.mobs.extend((no, int(attributes.get("blizzid", "0")), *map(int, numbers)))
        for zone in self._open_zones:
            self.mob_zones.extend((len(self.mob_names), *zone))
        self.xy.extend(self._open_xy)
        self._open_zones.clear()
        del self._open_xy[:]
        self.mob_names.append(attributes["name"])

    def _add_zone(self, element: etree._Element) -> None:
        """Add a zone; the `Mob` around it comes, and gets its number, after it."""
        if element.text:
            attributes = _attributes(element)
            coordinates = slow_path.coordinates(element.text)
            zone, floor = self._zone_number(attributes["name"]), int(attributes.get("level", "0"))
            self._open_zones.append((zone, floor, len(coordinates)))
            self._open_xy.extend(coordinates)


def _attributes(element: etree._Element) -> Mapping[str, str]:
    return cast("Mapping[str, str]", element.attrib)  # lxml's types allow for bytes, which Python 2 had


def _pieces(head: bytes, rest: BinaryIO) -> Iterator[bytes]:
    """Yield a document in pieces of about `PIECE_BYTES`, none of which ends within a `Loot` element or a tag."""
    held = b""
    for chunk in chain([head], iter(lambda: rest.read(PIECE_BYTES), b"")):
        held += chunk
        last_begin = held.rfind(b"<")
        while last_begin > 0 and held[last_begin : last_begin + 2] in {b"<", b"</"}:
            last_begin = held.rfind(b"<", 0, last_begin)
        end = max(last_begin, 0)
        yield held[:end]
        held = held[end:]
    yield held
