"""All `Loot` of a document at once: the same rules and the same digests as element by element, in half the time.

A document of the usual size is hundreds of `Loot`, and few sources, zones and floors among them: each
distinct one is checked once, and the texts are matched as one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from lxml import etree

from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.records import DIGEST, sorted_lootings, source_key


class Unusual(Exception):
    """Something that the rules for single elements are to judge: often a fault, but not always."""


class Loots(NamedTuple):
    """`digests` of the records, one after the other in any order, and how many lootings they hold."""

    digests: bytes
    lootings: int


def read_loots(loots: Sequence[etree._Element], version: int) -> Loots:
    """Check `Loot` elements (valid by the schema, without attributes of namespaces) and digest each.

    Raises `Unusual` for what may be against the rules or can't be judged in columns.
    """
    if not loots:
        return Loots(b"", 0)
    names = [loot.get("name", "") for loot in loots]
    texts = [loot.text or "" for loot in loots]
    written = "".join(texts)
    # No slot holds a `+`: where every text begins with one, their sequence is valid only if each of them is.
    begun = "\n".join(["", *texts]).count("\n+")
    if begun + texts.count("") != len(texts) or not grammar.is_loot_text(written, version):
        raise Unusual
    digest = hashlib.blake2b
    digests = [
        digest(
            # Most texts are one looting with one slot, and in order.
            f"{place}{text}".encode()
            if text.count("+") == 1 == text.count("#")
            else place.encode() + sorted_lootings(text),
            digest_size=DIGEST,
        ).digest()
        for place, text in zip(_places(names, version), texts, strict=True)
    ]
    return Loots(b"".join(digests), written.count("+"))


def _places(names: Sequence[str], version: int) -> list[str]:
    """Return how the canonical form of each `Loot` begins, as `records.loot` writes it: all but its text."""
    by_id = version != 42
    try:
        sources, xs, ys, zones, *rest = zip(*[name.rsplit("#", 3 + by_id) for name in names], strict=True)
        begins = {raw: source_key(grammar.source_of(raw, by_id, version)) + "[" for raw in set(sources)}
        zone_keys = {raw: tuple(map(repr, grammar.instance(raw))) for raw in set(zones)}
        packed = grammar.pack_all(xs, ys)
    except (ValueError, KeyError):
        raise Unusual from None
    if by_id != bool(rest):
        raise Unusual  # a fault, or version 43 in the form of 42
    floors = rest[0] if by_id else ("0",) * len(names)
    if not _FLOORS.issuperset(floors) or [x == "-1" for x in xs] != [y == "-1" for y in ys]:
        raise Unusual
    places = list(zip(zones, floors, strict=True))
    ends = {(zone, floor): f", {zone_keys[zone][0]}, {floor}, {zone_keys[zone][1]}]\x1d" for zone, floor in set(places)}
    return [f"{begins[source]}{xy}{ends[place]}" for source, xy, place in zip(sources, packed, places, strict=True)]


_FLOORS = frozenset(map(str, range(grammar.MAX_FLOOR + 1)))
