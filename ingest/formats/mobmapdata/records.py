"""The rules for each element of MobMapData, and its canonical form, which does not depend on how it was written.

A checker takes an element (complete, already valid by the schema) and the document's version and
returns `Checked`, or raises `Fault` for the first rule it breaks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
from lxml import etree

from ingest.formats.mobmapdata import grammar


class Fault(Exception):
    """A rule that a document breaks: a stable code and a message for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Checked(NamedTuple):
    """`canonical`: equal bytes for equal content; `amount`: coordinates of a Zone, lootings of a Loot, else 0."""

    canonical: bytes
    amount: int = 0


#: Bytes of a digest: 128 bits, as a collision only harms the document that holds both records.
DIGEST = 16

Checker = Callable[[etree._Element, int], Checked]

_MOB_BY_ID = {"blizzid", "react", "date"}
_REACTIONS = {str(reaction) for reaction in grammar.REACTIONS}


def _attributes(element: etree._Element) -> dict[str, str]:
    attributes = cast("dict[str, str]", dict(element.items()))
    if "{" in "".join(attributes):
        raise Fault("unknown-attribute", "attributes of other namespaces are not part of the format")
    return attributes


def canonical(tag: str, attributes: dict[str, str]) -> bytes:
    """Return an element's form without children and text."""
    return "\x1f".join([tag, *[f"{name}\x1e{value}" for name, value in sorted(attributes.items())]]).encode()


@lru_cache(maxsize=4096)
def checked_name(raw: str) -> str:
    name = grammar.unescape(raw)
    fault = grammar.name_fault(name)
    if fault:
        raise Fault("bad-name", f"name {fault}")
    return name


def _text(raw: str, what: str) -> None:
    if len(raw) > grammar.MAX_TEXT and len(grammar.unescape(raw)) > grammar.MAX_TEXT:
        raise Fault("bad-text", f"{what} has {len(raw):,} characters; {grammar.MAX_TEXT:,} are allowed")


def _positive(raw: str, what: str) -> None:
    if not grammar.is_positive(raw):
        raise Fault("bad-id", f"{what} {raw[:40]!r} must be a whole number from 1 to 2147483647, in plain digits")


def _natural(raw: str, what: str, at_most: int = grammar.MAX_NUMBER) -> int:
    if not grammar.is_natural(raw):
        raise Fault("bad-number", f"{what} {raw[:40]!r} must be a whole number in plain digits")
    if int(raw) > at_most:
        raise Fault("out-of-range", f"{what} {raw} is beyond {at_most}")
    return int(raw)


def _integer(raw: str, what: str) -> None:
    if not grammar.is_integer(raw):
        raise Fault("bad-number", f"{what} {raw[:40]!r} must be a whole number in plain digits, with - if negative")


def _require(attributes: dict[str, str], names: set[str], version: int) -> None:
    missing = names - attributes.keys()
    if missing:
        raise Fault("missing-attribute", f"{', '.join(sorted(missing))}: required in version {version}")


def _forbid(attributes: dict[str, str], names: set[str], version: int) -> None:
    extra = names & attributes.keys()
    if extra:
        raise Fault("unknown-attribute", f"{', '.join(sorted(extra))}: not known in version {version}")


def mob(element: etree._Element, version: int) -> Checked:
    """Check a creature's attributes; its zones are checked before it."""
    attributes = _attributes(element)
    if version == grammar.BY_ID or (version == grammar.MIXED and "blizzid" in attributes):
        _require(attributes, _MOB_BY_ID, version)
        _positive(attributes["blizzid"], "blizzid")
        if attributes["react"] not in _REACTIONS:
            raise Fault("bad-react", f"react {attributes['react'][:40]!r} is none of 0, 1, 2, 10, 11, 12")
        if not grammar.is_natural(attributes["date"]) or int(attributes["date"]) > grammar.MAX_DAY_NUMBER:
            raise Fault(
                "bad-date", f"date {attributes['date'][:40]!r} is no day number from 0 to {grammar.MAX_DAY_NUMBER}"
            )
    else:
        _forbid(attributes, _MOB_BY_ID, version)
    attributes["name"] = checked_name(attributes["name"])
    for end in ("min", "max"):
        if attributes[end] != "-1":
            _natural(attributes[end], end, grammar.MAX_LEVEL)
    return Checked(canonical("Mob", attributes))


def zone(element: etree._Element, version: int) -> Checked:
    """Check a zone's name, floor and list of coordinates (in a Mob or an EventObjective)."""
    attributes = _attributes(element)
    if version == grammar.BY_ID:
        _require(attributes, {"level"}, version)
    elif version == grammar.BY_NAME and _in_mob(element):
        _forbid(attributes, {"level"}, version)
    begin = zone_begin(attributes["name"], attributes.get("level", "0"))
    text = element.text or ""
    if not grammar.is_coordinate_list(text):
        raise Fault(*grammar.coordinate_fault(text))
    count = text.count(",")
    return Checked(begin + sorted_coordinates(text.encode()), count)


@lru_cache(maxsize=4096)
def zone_begin(name: str, level: str) -> bytes:
    """Return how the canonical form of a zone begins; its coordinates follow."""
    floor = str(_natural(level, "level", grammar.MAX_FLOOR))
    return canonical("Zone", {"level": floor, "name": checked_name(name)}) + b"\x1d"


def _in_mob(element: etree._Element) -> bool:
    """Tell a Mob's zone from an event's: version 42 has floors in neither, but events are accepted in today's form."""
    parent = element.getparent()
    return parent is not None and parent.tag == "Mob"


def sorted_coordinates(text: bytes) -> bytes:
    """Return a list's coordinates in order, joined again; in bounded memory for lists of millions."""
    if b".0" in text:
        text = text.replace(b".0/", b"/").replace(b".0,", b",")
    if len(text) <= grammar.PIECE:
        return b",".join(sorted(text.split(b",")))
    entries = np.concatenate([np.array(piece.split(b","), dtype="S11") for piece in grammar.pieces(text, b",")])
    entries.sort()
    written = entries[np.searchsorted(entries, b"", side="right") :]
    return hashlib.blake2b(written.data, digest_size=DIGEST).digest()


def loot(element: etree._Element, version: int) -> Checked:
    """Check the lootings of one source at one location."""
    raw = element.get("name", "")
    if len(element.attrib) != 1:
        _attributes(element)
    text = element.text or ""
    try:
        source, xy, zone, floor, difficulty = grammar.split_loot_name(raw, version)
    except grammar.BadLootName as error:
        raise Fault("bad-loot-name", f"name: {error}") from None
    if not grammar.is_loot_text(text, version):
        raise Fault("bad-loot-text", grammar.loot_text_fault(text, version))
    written = sorted_lootings(text.encode())
    return Checked(
        b"%b%d%b%b" % (loot_begin(source), xy, loot_location(zone, floor, difficulty), written), text.count("+")
    )


@lru_cache(maxsize=16384)
def loot_begin(source: grammar.Source) -> bytes:
    """Return how the canonical form of a `Loot` begins; its coordinate, packed, follows."""
    return f"Loot\x1f{tuple(source)}[".encode()


def loot_location(zone: str, floor: int, difficulty: str) -> bytes:
    """Return what follows a `Loot`'s coordinate in its canonical form; then comes its text."""
    return f", {zone!r}, {floor}, {difficulty!r}]\x1d".encode()


def sorted_lootings(text: bytes) -> bytes:
    """Return a loot text's lootings in an order that does not depend on theirs, nor on that of their slots."""
    slots = text.count(b"#")
    if slots == 1 and text.count(b"+") == 1:
        return text
    if len(text) <= grammar.PIECE:
        lootings = text.split(b"+")
        if (text + b"+").count(b"#+") != slots:  # a looting has several slots
            lootings = [b"#".join(sorted(looting.split(b"#"))) for looting in lootings]
        lootings.sort()
        return b"+".join(lootings)
    digests = bytearray()
    for piece in grammar.pieces(text, b"+"):
        for looting in filter(None, piece.split(b"+")):
            digests += hashlib.blake2b(_sorted_slots(looting), digest_size=DIGEST).digest()
    # Of lootings without slots only the number counts: millions of `+` need no digests.
    return b"%d" % text.count(b"+") + hashlib.blake2b(sort_digests(digests), digest_size=DIGEST).digest()


def _sorted_slots(looting: bytes) -> bytes:
    """Return a looting of a long text in order."""
    if len(looting) <= grammar.PIECE:
        return b"#".join(sorted(looting.split(b"#")))
    digests = bytearray()
    for piece in grammar.pieces(looting, b"#"):
        for slot in filter(None, piece.split(b"#")):
            digests += hashlib.blake2b(slot, digest_size=DIGEST).digest()
    return hashlib.blake2b(sort_digests(digests), digest_size=DIGEST).digest()


def sort_digests(digests: bytearray) -> bytearray:
    """Put digests of `DIGEST` bytes each, written one after the other, in order; returns the same object.

    In place, as there may be millions of them and a copy of all is what a large document costs.
    """
    if len(digests) > DIGEST:  # most records have no children: asking numpy would cost as much as checking them
        np.frombuffer(digests, dtype=f"S{DIGEST}").sort()
    return digests


def questcomment(element: etree._Element, version: int) -> Checked:
    """Check a comment on a quest."""
    attributes = _attributes(element)
    _natural(attributes["timestamp"], "timestamp")
    for name in ("title", "author", "objective", "text"):
        _text(attributes.get(name, ""), name)
    return Checked(canonical("Questcomment", attributes))


def merchant(element: etree._Element, version: int) -> Checked:
    """Check a merchant; the goods are checked before."""
    attributes = _attributes(element)
    checked_name(attributes["name"])
    return Checked(canonical("Merchant", attributes))


def merchant_item(element: etree._Element, version: int) -> Checked:
    """Check an item that a merchant sells."""
    attributes = _attributes(element)
    _positive(attributes["id"], "id")
    for name, value in attributes.items():
        if name.startswith("token"):
            _text(value, name)
        elif name != "id":
            _integer(value, name)
    return Checked(canonical("MItem", attributes))


def recipe(element: etree._Element, version: int) -> Checked:
    """Check a recipe; its reagents are checked before it."""
    attributes = _attributes(element)
    for name, value in attributes.items():
        if name in {"name", "skill"}:
            _text(value, name)
        elif name in {"itemid", "enchid"}:
            _positive(value, name)
        else:
            _natural(value, name)
    return Checked(canonical("Recipe", attributes))


def counted_id(element: etree._Element, version: int) -> Checked:
    """Check a Reagent or a Spell: an id and how many."""
    attributes = _attributes(element)
    _positive(attributes["id"], "id")
    _natural(attributes["count"], "count")
    return Checked(canonical(element.tag, attributes))


def named_text(element: etree._Element, version: int) -> Checked:
    """Check a Trainer or a MobSpell: a token that names a creature."""
    attributes = _attributes(element)
    _text(attributes["name"], "name")
    return Checked(canonical(element.tag, attributes))


def skill(element: etree._Element, version: int) -> Checked:
    """Check something that a trainer teaches."""
    attributes = _attributes(element)
    for name, value in attributes.items():
        if name in {"name", "skillname"}:
            _text(value, name)
        else:
            _natural(value, name)
    return Checked(canonical("Skill", attributes))


def event_objective(element: etree._Element, version: int) -> Checked:
    """Check a quest's objective that was an event; its zones are checked before it."""
    attributes = _attributes(element)
    _positive(attributes["questid"], "questid")
    _text(attributes["objective"], "objective")
    return Checked(canonical("EventObjective", attributes))


#: Elements below the root.
RECORDS: dict[str, Checker] = {
    "Mob": mob,
    "Loot": loot,
    "Questcomment": questcomment,
    "Merchant": merchant,
    "Recipe": recipe,
    "Trainer": named_text,
    "EventObjective": event_objective,
    "MobSpell": named_text,
}
#: Elements within a record.
CHILDREN: dict[str, Checker] = {
    "Zone": zone,
    "MItem": merchant_item,
    "Reagent": counted_id,
    "Skill": skill,
    "Spell": counted_id,
}
