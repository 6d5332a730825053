"""`Mob` and `Loot` as the addon writes them, cut out of a small document before lxml sees the rest.

They are all but a few of a document's elements, and reading them so (`scan`, in C) takes a tenth of the time. Each has
the same digest as by `records`, whose rules `scan` is at least as strict as.

Nothing is known of the document but that it has passed `guard`, so that no element can hide in a comment or a CDATA
section. A cut is sound if what remains is valid by the schema, and behind each place something was cut from comes,
blanks aside, the start of a record or the root's end. For `<` begins a tag wherever it stands in well-formed XML,
and these tags stand nowhere but within the root itself in a valid document: so that place is between two records.
What was cut is whole elements in their place there, which could be put back without making the rest less valid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, cast

from lxml import etree

from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.compiled import Digests
from ingest.formats.mobmapdata.records import RECORDS, Fault, checked_name, loot_begin, loot_place, zone_begin


class Unusual(Exception):
    """The document is to be read another way: for a fault, or for something that can't be judged here."""


class Cut(NamedTuple):
    """`rest` is the document without the elements that `digests` (one after the other) and the counts stand for.

    They hold as far as the rest is valid and its root has this version.
    """

    rest: bytes
    version: int
    digests: bytes
    mobs: int
    positions: int
    lootings: int


#: Parts of names to remember from document to document.
REMEMBERED = 8192

_version = re.compile(rb'<MobMapData [^<>]*?\bversion="(42|44)"').search
#: How what follows a cut begins.
_RECORD = (*[b"<%b%b" % (tag.encode(), end) for tag in RECORDS for end in (b" ", b">", b"/")], b"</MobMapData")


def cut(document: bytes) -> Cut:
    """Take the usual elements out of a document that has passed `guard`; raises `Unusual`.

    The caller has to validate the rest and to compare its version.
    """
    found = _version(document)
    if not found:
        raise Unusual
    version = int(found[1])
    try:
        scan = Digests(
            document, version, _begins[version], _places[version], _zone_begins, _mob_names, _RECORD, grammar.PIECE
        )
    except (ValueError, Fault, etree.XMLSyntaxError):  # `grammar.BadLootName` is a ValueError
        raise Unusual from None
    if not scan.sound:
        raise Unusual
    return Cut(scan.rest, version, scan.digests, scan.mobs, scan.positions, scan.lootings)


class _Known(dict[bytes, bytes]):
    """What `read` makes of the attributes that begin with a name, by that name as written and what follows it."""

    def __init__(self, read: Callable[[Mapping[str, str]], bytes]) -> None:
        self._read = read

    def __missing__(self, raw: bytes) -> bytes:
        attributes = etree.fromstring(b'<Usual name="%b"/>' % raw).attrib
        if len(self) >= REMEMBERED:
            self.clear()
        known = self[raw] = self._read(cast("Mapping[str, str]", attributes))
        return known


def _loot_begin(attributes: Mapping[str, str], version: int) -> bytes:
    return loot_begin(grammar.source_of(attributes["name"], version == 44, version))


def _loot_place(attributes: Mapping[str, str], version: int) -> bytes:
    zone, _, floor = attributes["name"].rpartition("#") if version == 44 else (attributes["name"], "", "0")
    if not grammar.is_natural(floor):
        raise Unusual
    name, difficulty = grammar.instance(zone)
    return loot_place(name, int(floor), difficulty)


_begins = {version: _Known(partial(_loot_begin, version=version)) for version in (42, 44)}
_places = {version: _Known(partial(_loot_place, version=version)) for version in (42, 44)}
_zone_begins = _Known(lambda attributes: zone_begin(attributes["name"], attributes["level"]))
_mob_names = _Known(lambda attributes: checked_name(attributes["name"]).encode())
