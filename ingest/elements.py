"""From XML to raw columns: documents are read one by one, and their elements laid into lists attribute by attribute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO, cast

from lxml import etree

from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.reading import drop
from ingest.looted import Loots

#: Nobody asks for elements by their ids. What is too long is for the door to say: it reads documents in other pieces
#: than workers do, and libxml2's limits depend on them. Behind `guard` there are no entities that could grow.
_PARSER = etree.XMLParser(collect_ids=False, no_network=True, huge_tree=True)
#: Documents below this size are read as trees, others in pieces of this size.
PIECE_BYTES = 1 << 20


class _ZoneNumbers(dict[str, int]):
    """The numbers of zones by their names as written."""

    def __init__(self, zones: dict[str, int]) -> None:
        self._zones = zones

    def __missing__(self, raw: str) -> int:
        number = self[raw] = self._zones.setdefault(grammar.unescape(raw), len(self._zones))
        return number


class Elements:
    """The elements of a batch: a list per attribute, and `loots`; `zones` are the zones' names, numbered."""

    def __init__(self) -> None:
        self.zones: dict[str, int] = {}
        self.loots = Loots(self.zones)
        self.mob_no: list[int] = []
        self.mob_name: list[str] = []
        self.mob_id: list[str | None] = []
        self.mob_min: list[str] = []
        self.mob_max: list[str] = []
        self.mob_react: list[str | None] = []
        self.mob_date: list[str | None] = []
        #: Which `Mob` (its row) was in which zone, and where: a row for each `Zone` element with coordinates.
        self.zone_mob: list[int] = []
        self.zone: list[int] = []
        self.zone_floor: list[str | None] = []
        self.zone_text: list[bytes] = []
        self._zone_number = _ZoneNumbers(self.zones)

    def collect(self, stream: BinaryIO, no: int, version: int) -> None:
        """Add a document's elements.

        Raises `etree.XMLSyntaxError`, `grammar.BadLootName`, or `KeyError` for a missing attribute.
        """
        head = stream.read(PIECE_BYTES)
        if len(head) < PIECE_BYTES:
            self._add_tree(etree.fromstring(self.loots.cut(head, no, version), _PARSER), no, version)
        else:
            self._add_pieces(_pieces(head, stream), no, version)

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
            parser.feed(self.loots.cut(piece, no, version))
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
        self.mob_no.append(no)
        self.mob_name.append(attributes["name"])
        self.mob_id.append(attributes.get("blizzid"))
        self.mob_min.append(attributes["min"])
        self.mob_max.append(attributes["max"])
        self.mob_react.append(attributes.get("react"))
        self.mob_date.append(attributes.get("date"))

    def _add_zone(self, element: etree._Element) -> None:
        """Add a zone; the `Mob` around it comes, and gets its row, after it."""
        if text := element.text:
            attributes = _attributes(element)
            self.zone_mob.append(len(self.mob_no))
            self.zone.append(self._zone_number[attributes["name"]])
            self.zone_floor.append(attributes.get("level"))
            self.zone_text.append(text.encode())


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
