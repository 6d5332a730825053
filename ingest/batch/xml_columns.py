"""From XML to raw columns: documents are read one by one, and their elements laid into columns attribute by attribute.

Nearly all are written in the addon's own form and read in C (`ingest.formats.mobmapdata.scan`); lxml reads the rest.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO, cast

from lxml import etree

from ingest.batch.loot_columns import AsWritten, Loots
from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.compiled import Columns
from ingest.formats.mobmapdata.reading import drop

#: Nobody asks for elements by their ids. What is too long is for the door to say: it reads documents in other pieces
#: than workers do, and libxml2's limits depend on them. Behind `guard` there are no entities that could grow.
_PARSER = etree.XMLParser(collect_ids=False, no_network=True, huge_tree=True)
#: Documents below this size are read as trees, others in pieces of this size.
PIECE_BYTES = 1 << 20


class Elements:
    """The elements of a batch: rows of numbers, texts, and `loots`; `zones` are the zones' names, numbered."""

    def __init__(self) -> None:
        self.zones: dict[str, int] = {}
        self.loots = Loots(self.zones)
        #: Rows end to end: of each `Mob` its upload's number, id (0: unknown), lowest and highest level (-1: a boss),
        #: reaction and day (-1: not said), with its name as written beside;
        self.mobs = array("q")
        self.mob_names: list[str] = []
        #: of each `Zone` with coordinates which `Mob` was there, zone, floor and how many there are.
        self.met = array("q")
        #: The coordinates, packed, of one after the other; of those in whose row stands -1 as they are written.
        self.xy = array("i")
        self.met_texts: list[bytes] = []
        #: Zone and floor of each `Zone` of a `Mob` that is not yet at its end; a piece may end within one.
        self._zones_of_open = array("q")
        self._zone_number = AsWritten(self._number_of_zone)
        self._name = AsWritten(str)

    def collect(self, stream: BinaryIO, no: int, version: int) -> None:
        """Add a document's elements.

        Raises `etree.XMLSyntaxError`, `grammar.BadLootName`, `KeyError` for a missing attribute, or `ValueError` or
        `OverflowError` for one that is no number of its kind.
        """
        head = stream.read(PIECE_BYTES)
        if len(head) < PIECE_BYTES:
            self._add_tree(etree.fromstring(self._cut(head, no, version), _PARSER), no, version)
        else:
            self._add_pieces(_pieces(head, stream), no, version)

    def forget_names(self) -> None:
        """Free what is needed only to collect: of a document full of names that is most of what is held."""
        self.loots.written.clear()
        self._zone_number.clear()
        self._name.clear()

    def _cut(self, document: bytes, no: int, version: int) -> bytes:
        """Take the usual elements out of a document, or a piece of one, and return the rest of it.

        The document is UTF-8 without comments and CDATA sections, as the door's `guard` leaves it: `<` begins a tag,
        an element that is cut out is a whole one, and the rest is as well-formed as the document was.
        """
        if version not in self.loots.written:
            return document
        numbers = (*self.loots.written[version], self._zone_number, self._name)
        columns = Columns(document, version, no, len(self.mob_names), *numbers)
        self.loots.rows.frombytes(columns.loots)
        self.loots.texts += columns.loot_texts
        self.mobs.frombytes(columns.mobs)
        self.mob_names += columns.mob_names
        self.met.frombytes(columns.zones)
        self.xy.frombytes(columns.xy)
        return columns.rest

    def _number_of_zone(self, raw: str) -> int:
        return self.zones.setdefault(grammar.unescape(raw), len(self.zones))

    def _add_tree(self, root: etree._Element, no: int, version: int) -> None:
        """Read a document at once: twice as fast as in pieces, at up to 25 times its size in memory."""
        for mob in root.iterchildren("Mob"):
            for zone in mob:
                self._add_zone(zone)
            self._add_mob(no, mob)
        self._add_loots(list(map(_loot, root.iterchildren("Loot"))), no, version)

    def _add_pieces(self, pieces: Iterator[bytes], no: int, version: int) -> None:
        """Read a document element by element, with no more of it in memory than a piece."""
        parser = etree.XMLPullParser(events=("end",), no_network=True, huge_tree=True)
        for piece in pieces:
            parser.feed(self._cut(piece, no, version))
            loots = []
            for _, element in cast("Iterator[tuple[str, etree._Element]]", parser.read_events()):
                parent = element.getparent()
                if element.tag == "Loot":
                    loots.append(_loot(element))
                elif element.tag == "Mob":
                    self._add_mob(no, element)
                elif element.tag == "Zone" and parent is not None and parent.tag == "Mob":
                    self._add_zone(element)
                drop(element)
            self._add_loots(loots, no, version)
        parser.close()

    def _add_loots(self, loots: list[tuple[str, str]], no: int, version: int) -> None:
        looted = [(name, text) for name, text in loots if text]  # an element without lootings says nothing
        self.loots.add([name for name, _ in looted], [text for _, text in looted], no, version)

    def _add_mob(self, no: int, element: etree._Element) -> None:
        attributes = _attributes(element)
        said = (attributes["min"], attributes["max"], attributes.get("react", "-1"), attributes.get("date", "-1"))
        self.mobs.extend((no, int(attributes.get("blizzid", "0")), *map(int, said)))
        zones, floors = self._zones_of_open[::2], self._zones_of_open[1::2]
        for zone, floor in zip(zones, floors, strict=True):
            self.met.extend((len(self.mob_names), zone, floor, -1))
        del self._zones_of_open[:]
        self.mob_names.append(attributes["name"])

    def _add_zone(self, element: etree._Element) -> None:
        """Add a zone; the `Mob` around it comes, and gets its number, after it."""
        if text := element.text:
            attributes = _attributes(element)
            self._zones_of_open.extend((self._number_of_zone(attributes["name"]), int(attributes.get("level", "0"))))
            self.met_texts.append(text.encode())


def _attributes(element: etree._Element) -> Mapping[str, str]:
    return cast("Mapping[str, str]", element.attrib)  # lxml's types allow for bytes, which Python 2 had


def _loot(element: etree._Element) -> tuple[str, str]:
    return _attributes(element)["name"], element.text or ""


def _pieces(head: bytes, rest: BinaryIO) -> Iterator[bytes]:
    """Yield a document in pieces of about `PIECE_BYTES`, none of which ends within a `Loot` element or a tag."""
    held = b""
    for chunk in chain([head], iter(lambda: rest.read(PIECE_BYTES), b"")):
        held += chunk
        # Before the last tag that begins an element.
        cut = held.rfind(b"<")
        while cut > 0 and held[cut : cut + 2] in {b"<", b"</"}:
            cut = held.rfind(b"<", 0, cut)
        yield held[: max(cut, 0)]
        held = held[max(cut, 0) :]
    yield held
