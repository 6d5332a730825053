"""`Mob` and `Loot` as the addon writes them, cut out of a small document by patterns before lxml sees the rest.

They are all but a few of a document's elements, and reading them so takes a third of the time. Each has the same
digest as by `records`, whose rules the patterns are at least as strict as.

Nothing is known of the document but that it has passed `guard`, so that no element can hide in a comment or a CDATA
section. A cut is sound if what remains is valid by the schema, and behind each place something was cut from comes,
blanks aside, the start of a record or the root's end. For `<` begins a tag wherever it stands in well-formed XML,
and these tags stand nowhere but within the root itself in a valid document: so that place is between two records.
What was cut is whole elements in their place there, which could be put back without making the rest less valid.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, cast

from lxml import etree

from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.records import (
    DIGEST,
    RECORDS,
    Fault,
    canonical,
    checked_name,
    loot_begin,
    loot_place,
    sorted_coordinates,
    sorted_lootings,
    zone_begin,
)


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


#: Parts of names to remember from document to document, and how long they are at most, in bytes with escapes.
REMEMBERED = 8192
_MAX_PART = 250

_version = re.compile(rb'<MobMapData [^<>]*?\bversion="(42|44)"').search
# Every part ends at the first sign that may end it, so nothing is tried twice.
# Only repetitions of single signs are possessive: `grammar.LOOT_TEXT` says why.
#: Source without `#`, x, y, place without `#`, text. Version 43 writes either form, which only a whole name tells.
_LOOT = {
    version: re.compile(
        rb'<Loot name="([^#]{1,%d}+)#([-0-9.]{1,5}+)#([-0-9.]{1,5}+)#(%b)">(%b)</Loot>'
        % (_MAX_PART, place, grammar.LOOT_TEXT[version].encode())
    )
    for version, place in ((42, rb'[^#"]{1,%d}+' % _MAX_PART), (44, rb"[^#]{1,%d}+#[0-9]{1,2}+" % _MAX_PART))
}
_NAME = rb'[^"]{1,%d}+' % _MAX_PART
_LEVEL = rb"(-1|0|[1-9][0-9]{0,2}+)"
#: Name, id, min, max, react, date, zones.
_MOB = re.compile(
    rb'<Mob name="(%b)" blizzid="([1-9][0-9]{0,8}+)" min="%b" max="%b" react="(1?[0-2])" date="(0|[1-9][0-9]{0,3}+)">'
    rb'((?>(?:<Zone name="%b" level="[0-9]{1,2}+">[-0-9./,]*+</Zone>)*))</Mob>' % (_NAME, _LEVEL, _LEVEL, _NAME)
)
#: Name and level as written, coordinates.
_ZONE = re.compile(rb'<Zone name="([^"]*+" level="[0-9]*+)">([^<]*+)</Zone>')
#: The canonical form of a `Mob`: its attributes' values go in their order by name.
_MOB_FORM = canonical("Mob", dict.fromkeys(("blizzid", "date", "max", "min", "name", "react"), "%b"))
#: How what follows a cut begins.
_RECORD = (*[b"<%b%b" % (tag.encode(), end) for tag in RECORDS for end in (b" ", b">", b"/")], b"</MobMapData")
_BLANKS = b" \t\r\n"


def cut(document: bytes) -> Cut:
    """Take the usual elements out of a document that has passed `guard`; raises `Unusual`.

    The caller has to validate the rest and to compare its version.
    """
    found = _version(document)
    if not found:
        raise Unusual
    version = int(found[1])
    rest, loots = _take(_LOOT[version], document)
    rest, mobs = _take(_MOB, rest) if version == 44 else (rest, ((),) * _MOB.groups)
    try:
        mob_digests, positions = _digest_mobs(mobs)
        digests = [*_digest_loots(version, loots), *mob_digests]
    except (ValueError, Fault, etree.XMLSyntaxError):  # `grammar.BadLootName` is a ValueError
        raise Unusual from None
    lootings = b"".join(loots[-1]).count(b"+")
    return Cut(rest, version, b"".join(digests), len(mob_digests), positions, lootings)


def _take(pattern: re.Pattern[bytes], document: bytes) -> tuple[bytes, Sequence[Sequence[bytes]]]:
    """Return a document without what a pattern matches, and a column for each of its groups."""
    parts: list[bytes] = pattern.split(document)
    step = pattern.groups + 1
    kept, *columns = (parts[at::step] for at in range(step))
    if len(kept) > 1:
        behind = {piece.lstrip(_BLANKS) for piece in kept[1:]} - {b""}
        if not kept[-1].strip(_BLANKS) or not all(piece.startswith(_RECORD) for piece in behind):
            raise Unusual
    return b"".join(kept), list(columns)


class _Known(dict[bytes, bytes]):
    """What `read` makes of the attributes that begin with a name, by that name as written and what follows it."""

    def __init__(self, read: Callable[[Mapping[str, str]], bytes], quotes: int = 0) -> None:
        self._read, self._quotes = read, quotes

    def __missing__(self, raw: bytes) -> bytes:
        if raw.count(b'"') != self._quotes:
            raise Unusual  # the name was to end before
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


_begins = {version: _Known(partial(_loot_begin, version=version)) for version in _LOOT}
_places = {version: _Known(partial(_loot_place, version=version)) for version in _LOOT}
_zone_begins = _Known(lambda attributes: zone_begin(attributes["name"], attributes["level"]), quotes=2)
_mob_names = _Known(lambda attributes: checked_name(attributes["name"]).encode())


def _digest_loots(version: int, columns: Sequence[Sequence[bytes]]) -> list[bytes]:
    sources, xs, ys, places, texts = columns
    begins, ends = map(_begins[version].__getitem__, sources), map(_places[version].__getitem__, places)
    forms = zip(begins, grammar.pack_all(xs, ys), ends, map(sorted_lootings, texts), strict=True)
    blake2b = hashlib.blake2b
    return [blake2b(b"%b%d%b%b" % form, digest_size=DIGEST).digest() for form in forms]


def _digest_mobs(columns: Sequence[Sequence[bytes]]) -> tuple[list[bytes], int]:
    """Return a digest for each `Mob`, and how many coordinates they have."""
    names, ids, mins, maxs, reacts, dates, zones = columns
    found = [_ZONE.findall(each) for each in zones]
    lists = [coordinates for each in found for _, coordinates in each if coordinates]
    written = b"".join(lists).decode("ascii")
    if not grammar.is_coordinate_list(written) or not all(each.endswith(b",") for each in lists):
        raise Unusual
    forms = zip(ids, dates, maxs, mins, map(_mob_names.__getitem__, names), reacts, strict=True)
    digests = []
    for attributes, own in zip(forms, found, strict=True):
        digest = hashlib.blake2b(_MOB_FORM % attributes, digest_size=DIGEST)
        digest.update(b"".join(sorted(map(_digest_zone, own))))
        digests.append(digest.digest())
    return digests, written.count(",")


def _digest_zone(zone: tuple[bytes, bytes]) -> bytes:
    begin, coordinates = zone
    return hashlib.blake2b(_zone_begins[begin] + sorted_coordinates(coordinates), digest_size=DIGEST).digest()
