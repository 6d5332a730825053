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
    if not {text[:1] for text in texts} <= {"", "+"} or not grammar.is_loot_text(written, version):
        raise Unusual
    digest = hashlib.blake2b
    digests = [
        digest(f"{place}\x1d".encode() + sorted_lootings(text), digest_size=DIGEST).digest()
        for place, text in zip(_places(names, version), texts, strict=True)
    ]
    return Loots(b"".join(digests), written.count("+"))


def _places(names: Sequence[str], version: int) -> list[str]:
    """Return the canonical form of each name, as `records.loot` writes it."""
    by_id = version != 42
    try:
        sources, xs, ys, zones, *rest = zip(*[name.rsplit("#", 3 + by_id) for name in names], strict=True)
        source_keys = {raw: source_key(grammar.source_of(raw, by_id, version)) for raw in set(sources)}
        zone_keys = {raw: tuple(map(repr, grammar.instance(raw))) for raw in set(zones)}
        packed = list(map(grammar.pack, xs, ys))
    except (ValueError, KeyError):
        raise Unusual from None
    if by_id != bool(rest):
        raise Unusual  # a fault, or version 43 in the form of 42
    floors = rest[0] if by_id else ("0",) * len(names)
    if not _FLOORS.issuperset(floors) or list(map("-1".__eq__, xs)) != list(map("-1".__eq__, ys)):
        raise Unusual
    return [
        f"{source_keys[source]}[{xy}, {zone_keys[zone][0]}, {floor}, {zone_keys[zone][1]}]"
        for source, xy, zone, floor in zip(sources, packed, zones, floors, strict=True)
    ]


_FLOORS = frozenset(map(str, range(grammar.MAX_FLOOR + 1)))
