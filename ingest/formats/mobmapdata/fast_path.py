"""The fast path of validation: extracts `Mob` and `Loot` in the addon's own form before lxml sees the remainder.

These are all but a few of a document's elements, and reading them in C (`scan.pyx`) takes a tenth of the time. It
accepts only what `records` accepts, and gives it the same digest.

Why extraction is sound: nothing is known of the document but that it has passed the precheck, so that no element can
hide in a comment or a CDATA section. `<` begins a tag wherever it appears in well-formed XML. Each extracted element
is followed, after blanks, by the start of a record or by the root's end, and in a document that is valid by the schema
these tags appear only directly within the root. So if the remainder is valid, each extracted element was between two
records, and it is whole: putting it back would leave the document valid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from lxml import etree

from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.attribute_cache import AttributeCache
from ingest.formats.mobmapdata.compiled import Digests
from ingest.formats.mobmapdata.records import RECORDS, Fault, checked_name, loot_begin, loot_location, zone_begin


class NotExtractable(Exception):
    """The fast path can't validate the document: it is invalid, or has a form that only the slow path reads."""


class Extract(NamedTuple):
    """The elements taken out of a document: their digests, concatenated, and counts; `remainder` is the rest of it.

    All of it holds only if the remainder is valid and its root has this version.
    """

    remainder: bytes
    version: int
    digests: bytes
    mobs: int
    positions: int
    lootings: int


#: Versions with one form, which the scan knows. Documents of version 43 take the slow path.
VERSIONS = grammar.FAST_VERSIONS
#: Entries of each cache: parts of names, kept from document to document.
CACHE_SIZE = 8192

_version = re.compile(rb'<MobMapData [^<>]*?\bversion="(%d|%d)"' % VERSIONS).search
#: Starts of what may follow an extracted element.
_RECORD = (*[b"<%b%b" % (tag.encode(), end) for tag in RECORDS for end in (b" ", b">", b"/")], b"</MobMapData")


def extract(document: bytes) -> Extract:
    """Take the elements in the addon's own form out of a document that has passed the precheck.

    The caller has to validate the remainder and to compare its version. Raises `NotExtractable`.
    """
    found = _version(document)
    if not found:
        raise NotExtractable
    version = int(found[1])
    try:
        scan = Digests(
            document, version, _begins[version], _locations[version], _zone_begins, _mob_names, _RECORD, grammar.PIECE
        )
    except (ValueError, Fault, etree.XMLSyntaxError):  # `grammar.BadLootName` is a ValueError
        raise NotExtractable from None
    if not scan.sound:
        raise NotExtractable
    return Extract(scan.remainder, version, scan.digests, scan.mobs, scan.positions, scan.lootings)


def _loot_begin(attributes: Mapping[str, str], version: int) -> bytes:
    return loot_begin(grammar.source_of(attributes["name"], version == grammar.BY_ID, version))


def _loot_location(attributes: Mapping[str, str], version: int) -> bytes:
    zone, floor = grammar.zone_and_floor(attributes["name"], version)
    name, difficulty = grammar.instance(zone)
    return loot_location(name, floor, difficulty)


_begins = {version: AttributeCache(partial(_loot_begin, version=version), CACHE_SIZE) for version in VERSIONS}
_locations = {version: AttributeCache(partial(_loot_location, version=version), CACHE_SIZE) for version in VERSIONS}
_zone_begins = AttributeCache(lambda attributes: zone_begin(attributes["name"], attributes["level"]), CACHE_SIZE)
_mob_names = AttributeCache(lambda attributes: checked_name(attributes["name"]).encode(), CACHE_SIZE)
