"""The small languages inside MobMapData: escapes, numbers, coordinate lists, loot names and loot texts.

Pure: text in, values out. Validation and workers both read by these patterns, so a document that was accepted can be
read. `scan.pyx` reads the addon's own form in C, with the limits defined here.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import AnyStr, NamedTuple

#: Versions: creatures have names in 42, ids in 44. Version 43 mixes both, is rare, and always takes the slow path.
BY_NAME, MIXED, BY_ID = VERSIONS = (42, 43, 44)
FAST_VERSIONS = (BY_NAME, BY_ID)
MAX_NAME = 100
MAX_TEXT = 4_000
#: Levels beyond any the game had or will have: the addon's own field is a small number.
MAX_LEVEL = 999
MAX_FLOOR = 99
#: Hostile, neutral, friendly, as the Alliance sees a creature; then as the Horde does.
REACTIONS = (0, 1, 2, 10, 11, 12)

# --- numbers -------------------------------------------------------------------------------------
MAX_NUMBER = 2**31 - 1
#: 1 … `MAX_NUMBER` in plain digits without leading zeros.
POSITIVE = (
    r"(?:2147483(?:6(?:4[0-7]|[0-3][0-9])|[0-5][0-9]{2})|214748[0-2][0-9]{3}|21474[0-7][0-9]{4}"
    r"|2147[0-3][0-9]{5}|214[0-6][0-9]{6}|21[0-3][0-9]{7}|20[0-9]{8}|1[0-9]{9}|[1-9][0-9]{0,8})"
)
NATURAL = rf"(?:{POSITIVE}|0)"
INTEGER = rf"(?:-?{POSITIVE}|0)"
#: The game's item instance number fills 32 bits and comes signed or unsigned.
MAX_INSTANCE_DIGITS = 10
_INSTANCE = rf"(?:-?[1-9][0-9]{{0,{MAX_INSTANCE_DIGITS - 1}}}|0)"

is_positive = re.compile(POSITIVE).fullmatch
is_natural = re.compile(NATURAL).fullmatch
is_integer = re.compile(INTEGER).fullmatch

# --- texts ---------------------------------------------------------------------------------------
_ESCAPES = {
    "|uuml|": "ü",
    "|auml|": "ä",
    "|ouml|": "ö",
    "|Uuml|": "Ü",
    "|Auml|": "Ä",
    "|Ouml|": "Ö",
    "|szlig|": "ß",
    "||": "|",
    "$B": "\n",
}
_escape = re.compile(r"\|(?:[uaoUAO]uml|szlig)?\||\$B")
_control = re.compile("[\x00-\x1f\x7f-\x9f]")


def unescape(text: str) -> str:
    """Return a text with the addon's escapes resolved, in one pass from the left.

    A lone `|` is kept: `"Gro|szlig|er ||x||"` → `"Großer |x|"`.
    """
    if "|" not in text and "$B" not in text:
        return text
    return _escape.sub(lambda match: _ESCAPES[match[0]], text)


def name_fault(name: str) -> str | None:
    """Return what is wrong with an unescaped name, or None."""
    if not name:
        return "is empty; names have 1 to 100 characters"
    if len(name) > MAX_NAME:
        return f"has {len(name)} characters; names have 1 to 100"
    found = _control.search(name)
    if found:
        return f"holds the control character U+{ord(found[0]):04X}"
    return None


# --- days ----------------------------------------------------------------------------------------
#: A day as the addon counts it: 31 per month, 372 per year, from 2009-01-01.
MAX_DAY_NUMBER = (2199 - 2009) * 372 + 371


def decode_day(number: int) -> date:
    """Return the date that the addon's day number encodes: `6659` → 2026-11-26.

    The count has room for a 31st in every month; such a day is taken as the month's last.
    """
    year, rest = divmod(number, 372)
    month, day = divmod(rest, 31)
    while True:
        try:
            return date(2009 + year, month + 1, day + 1)
        except ValueError:
            day -= 1


# --- coordinates ---------------------------------------------------------------------------------
_PERCENT = r"(?:100(?:\.0)?|[1-9]?[0-9](?:\.[0-9])?)"
COORDINATE = rf"(?:{_PERCENT}/{_PERCENT}|-1/-1)"
_entry = re.compile(COORDINATE).fullmatch
_entries = re.compile(rf"(?:{COORDINATE},)*").fullmatch
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
_looks_like_coordinate = re.compile(rf"{_NUMBER}/{_NUMBER}").fullmatch

MAX_TENTHS = 1000
Y_BITS = 10
#: Every way to write a percentage, and what it is in tenths; `-1` is an unknown position's axis.
_TENTHS = {f"{tenths // 10}.{tenths % 10}": tenths for tenths in range(MAX_TENTHS + 1)}
_TENTHS |= {str(whole): whole * 10 for whole in range(101)} | {"-1": -1}
_TENTHS_OF_X = {axis: tenths << Y_BITS for axis, tenths in _TENTHS.items()}


def pack(x: str, y: str) -> int:
    """Return a coordinate as one number, `x * 1024 + y` in tenths of a percent: `("21.6", "33")` → 221514.

    An unknown position, -1/-1, is -1.
    """
    return _TENTHS_OF_X[x] | _TENTHS[y]


#: A repeated group remembers every repetition, so long texts are matched a piece at a time.
PIECE = 1 << 16


def pieces(text: AnyStr, separator: AnyStr) -> Iterator[AnyStr]:
    """Cut a text into pieces of about `PIECE` characters, each ending with the separator but for the last."""
    start = 0
    while len(text) - start > PIECE:
        end = text.find(separator, start + PIECE) + 1
        if not end:
            break
        yield text[start:end]
        start = end
    yield text[start:]


def is_coordinate_list(text: str) -> bool:
    """Tell whether a text is a list `x/y,x/y,` (it may be empty)."""
    if len(text) <= PIECE:
        return _entries(text) is not None
    return all(_entries(piece) for piece in pieces(text, ","))


def coordinate_fault(text: str) -> tuple[str, str]:
    """Return the code and the message for the first broken entry of a coordinate list."""
    number = 0
    for piece in pieces(text, ","):
        *entries, rest = piece.split(",")
        for entry in entries:
            number += 1
            if not _entry(entry):
                return _broken_coordinate(f"entry {number}, {entry[:40]!r},", entry)
        if rest:
            return (
                "bad-coordinate",
                f"entry {number + 1}, {rest[:40]!r}, is not closed by a comma; the list may be cut off",
            )
    raise ValueError("the list has no fault")


def _broken_coordinate(place: str, entry: str) -> tuple[str, str]:
    if _looks_like_coordinate(entry):
        return (
            "coordinate-out-of-range",
            f"{place} is not within 0 to 100 with at most one decimal, nor -1/-1 for an unknown position",
        )
    return "bad-coordinate", f"{place} is no coordinate; write x/y, in percent, such as 46.1/40.7,"


# --- loot texts ----------------------------------------------------------------------------------
_ITEM_SLOT = rf"{POSITIVE}:{INTEGER}:{_INSTANCE}:{NATURAL}"
#: What nearly all items look like, tried first: it halves the time that a text takes.
_COMMON_SLOT = r"[1-9][0-9]{0,8}:0:0:(?:0|[1-9][0-9]{0,8})"
MAX_SLOT_DAY_DIGITS = 6
_DAY = rf":[0-9A-Za-z]{{1,{MAX_SLOT_DAY_DIGITS}}}"
_SLOT = {
    BY_NAME: rf"(?:{_COMMON_SLOT}|{_ITEM_SLOT}|{NATURAL})",
    BY_ID: rf"(?:{_COMMON_SLOT}{_DAY}|{_ITEM_SLOT}(?:{_DAY})?|{NATURAL})",
}
_SLOT[MIXED] = _SLOT[BY_ID]
_slot = {version: re.compile(slot).fullmatch for version, slot in _SLOT.items()}
#: A `+` may stand before any slot (a looting begins) and at the end (one without slots). Atomic
#: groups prevent backtracking: a common slot also has an item's form, so n slots before a fault would cost 2ⁿ tries.
_slots = {version: re.compile(rf"(?:\+*(?>{slot}#))*\+*").fullmatch for version, slot in _SLOT.items()}


def is_loot_text(text: str, version: int) -> bool:
    """Tell whether a text is a list of lootings, `+slot#slot#+slot#`."""
    if text and not text.startswith("+"):
        return False
    if len(text) <= PIECE:
        return _slots[version](text) is not None
    return all(_slots[version](piece) for piece in pieces(text, "#"))


def loot_text_fault(text: str, version: int) -> str:
    """Return the message for the first broken entry of a loot text."""
    if not text.startswith("+"):
        return f"the text begins with {text[:20]!r}; every looting begins with +"
    number = 0
    for piece in pieces(text, "#"):
        *slots, rest = piece.split("#")
        for slot in slots:
            number += slot.count("+")
            bare = slot.lstrip("+")
            if not _slot[version](bare):
                return (
                    f"looting {number}: {bare[:40]!r} is neither "
                    f"item:suffix:unique:count{'' if version == BY_NAME else '[:day]'} "
                    "with an item id from 1 to 2147483647 nor an amount of copper"
                )
        if rest.lstrip("+"):
            number += rest.count("+")
            return f"looting {number}: {rest.lstrip('+')[:40]!r} is not closed by #; the text may be cut off"
    raise ValueError("the text has no fault")


# --- loot names ----------------------------------------------------------------------------------
#: The addon's prefix of a source without killing, and the kind's word in tables, API and pages. The word is part of the
#: content hash: changing one would make documents that are sent again count twice.
KINDS = {
    "SKIN": "skinning",
    "PIPO": "pickpocketing",
    "HERB": "herb",
    "MING": "ore",
    "ENGN": "engineering",
    "OPEN": "chest",
    "ITEM": "item",
    "DISN": "disenchanting",
    "PRSP": "prospecting",
    "MILL": "milling",
    "FISH": "fishing",
    "UNKN": "unknown",
}
DIFFICULTIES = ("HEROIC", "RAID1N", "RAID2N", "RAID1H", "RAID2H")

_AXIS = rf"(?:{_PERCENT}|-1)"
#: More than any name has whose parts are as long as may be and full of escapes; only zeros before an id go beyond.
MAX_LOOT_NAME = 1_500
#: Source, x, y and zone. Greedy source: a `#` within an object's name belongs to it, as the fields are counted from
#: the right. The floor is split off before: matching it here would cause backtracking.
_loot_name = re.compile(rf"((?s:.+))#({_AXIS})#({_AXIS})#((?s:.+))").fullmatch
_hex_id = re.compile(r"0x0*([0-9A-Fa-f]{1,8})").fullmatch


class Lootings(NamedTuple):
    """What a loot text holds; `items` are the ids of all drops.

    An item drops once per looting, however many slots of the looting hold it.
    """

    lootings: int
    money_lootings: int
    copper: int
    items: array[int]


class Source(NamedTuple):
    """What loot came from: `kind` is a value of `KINDS`, or `kill`.

    One of the others is set (creature by id or by name, object, item), none for fishing and unknown.
    """

    kind: str
    creature_id: int = 0
    creature_name: str = ""
    object: str = ""
    item: int = 0


class LootName(NamedTuple):
    """The parts of a `Loot` element's name. `xy` is packed as in `pack`; -1 is unknown."""

    source: Source
    xy: int
    zone: str
    floor: int
    difficulty: str


class BadLootName(ValueError):
    """A loot name against the rules; the text says which."""


def split_loot_name(raw: str, version: int) -> LootName:
    """Return the parts of a loot name in a version's form; raises `BadLootName`.

    `"n0x1017#14.9#31.7#Tausend Nadeln#0"` → a kill of creature 4119, at 14.9/31.7 on floor 0.
    """
    if len(raw) > MAX_LOOT_NAME:
        raise BadLootName(f"has {len(raw):,} characters; {MAX_LOOT_NAME:,} are allowed")
    source, x, y, zone, floor = loot_fields(raw, version)
    if (x == "-1") != (y == "-1"):
        raise BadLootName(f"x#y is {x}#{y}; an unknown position is -1#-1")
    if floor is not None and int(floor) > MAX_FLOOR:
        raise BadLootName(f"the floor {floor} is beyond {MAX_FLOOR}")
    name, difficulty = instance(zone)
    return LootName(source_of(source, floor is not None, version), pack(x, y), name, int(floor or 0), difficulty)


def loot_fields(raw: str, version: int) -> tuple[str, str, str, str, str | None]:
    """Return the parts of a loot name: source, x, y, zone and floor (None where version 42's form has none).

    Raises `BadLootName`.
    """
    if version != BY_NAME:
        parts = raw.rsplit("#", 4)
        if len(parts) == 5 and parts[0] and parts[1] in _TENTHS and parts[2] in _TENTHS and parts[3]:
            source, x, y, zone, floor = parts
            if is_natural(floor):
                return source, x, y, zone, floor
        head, _, floor = raw.rpartition("#")
        matched = _loot_name(head) if is_natural(floor) else None
        if matched:
            return matched[1], matched[2], matched[3], matched[4], floor
    if version != BY_ID:
        matched = _loot_name(raw)
        if matched:
            return matched[1], matched[2], matched[3], matched[4], None
    shape = "source#x#y#zone" if version == BY_NAME else "source#x#y#zone#floor"
    raise BadLootName(f"{raw[:120]!r} is not of the form {shape} with x and y from 0 to 100 or both -1")


def zone_and_floor(raw: str, version: int) -> tuple[str, int]:
    """Split the last part of a loot name in a version's own form: `"Tausend Nadeln#0"` → `("Tausend Nadeln", 0)`.

    Version 42 has no floors. Raises `BadLootName`.
    """
    zone, _, floor = raw.rpartition("#") if version == BY_ID else (raw, "", "0")
    if not is_natural(floor):
        raise BadLootName(f"{raw[:120]!r} ends with no floor")
    return zone, int(floor)


@lru_cache(maxsize=4096)
def instance(raw: str) -> tuple[str, str]:
    """Return a zone's name and its difficulty, checked."""
    zone, difficulty = split_difficulty(unescape(raw))
    fault = name_fault(zone)
    if fault:
        raise BadLootName(f"the zone's name {fault}")
    return zone, difficulty


def split_difficulty(zone: str) -> tuple[str, str]:
    """Take the difficulty off an instance's name: `"Die TodesminenHEROIC"` → `("Die Todesminen", "HEROIC")`."""
    for difficulty in DIFFICULTIES:
        if zone.endswith(difficulty) and len(zone) > len(difficulty):
            return zone[: -len(difficulty)], difficulty
    return zone, ""


@lru_cache(maxsize=16384)
def source_of(raw: str, by_id: bool, version: int) -> Source:
    """Return the source that a loot name's first part means; `by_id`: the name has a floor, so creatures have ids.

    Raises `BadLootName`.
    """
    source = unescape(raw)
    kind, target = "kill", source
    if source[:4] in KINDS:
        kind, target = KINDS[source[:4]], source[4:]
    if kind in {"fishing", "unknown"}:
        if target:
            raise BadLootName(f"{source[:60]!r}: {source[:4]} takes no target")
        return Source(kind)
    letter, rest = target[:1], target[1:]
    if letter == "n":
        # Version 44 calls creatures by id, but the addon knows a skinned one only by its name.
        if kind != "skinning" and (by_id or (version == MIXED and _hex_id(rest))):
            return Source(kind, creature_id=_creature_id(rest, source))
        return Source(kind, creature_name=_checked(rest, "creature"))
    if kind == "kill":
        raise BadLootName(f"{source[:60]!r} is no known source")
    if letter == "o":
        return Source(kind, object=_checked(rest, "object"))
    if letter == "i":
        if not is_positive(rest):
            raise BadLootName(f"{source[:60]!r}: the item id must be a number from 1 to 2147483647")
        return Source(kind, item=int(rest))
    raise BadLootName(f"{source[:60]!r}: the target must begin with n (creature), o (object) or i (item)")


def _creature_id(text: str, source: str) -> int:
    matched = _hex_id(text)
    number = int(matched[1], 16) if matched else 0
    if not 1 <= number <= MAX_NUMBER:
        raise BadLootName(f"{source[:60]!r}: the creature's id must be hexadecimal, from 0x1 to 0x7fffffff")
    return number


def _checked(name: str, what: str) -> str:
    fault = name_fault(name)
    if fault:
        raise BadLootName(f"the {what}'s name {fault}")
    return name
