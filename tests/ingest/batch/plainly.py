"""A second reading of single documents, by the standard library's parser and plain dictionaries, a record at a time.

What it finds are facts, a dictionary from tuples to numbers, in which a document's readers can be compared.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from calendar import monthrange
from collections import defaultdict
from collections.abc import Mapping
from datetime import date
from typing import Any

from ingest.batch.observations import Observations
from tests.independent import DIFFICULTIES, unescape

KINDS = {"SKIN": "skinning", "PIPO": "pickpocketing", "HERB": "herb", "MING": "ore", "ENGN": "engineering"}
KINDS |= {"OPEN": "chest", "ITEM": "item", "DISN": "disenchanting", "PRSP": "prospecting", "MILL": "milling"}
KINDS |= {"FISH": "fishing", "UNKN": "unknown"}
REACTIONS = {"0": 0, "1": 1, "2": 2, "10": 3, "11": 4, "12": 5}

_PERCENT = r"(-1|100(?:\.0)?|[1-9]?[0-9](?:\.[0-9])?)"
_source_at = re.compile(rf"(.+)#{_PERCENT}#{_PERCENT}#(.+)", re.DOTALL).fullmatch
_floor = re.compile(r"0|[1-9][0-9]*").fullmatch
_padded_id = re.compile(r"n0x0*[0-9A-Fa-f]{1,8}").fullmatch

#: What validation counts as it is written.
LISTED = ("mobs", "coordinates", "lootings")
#: A source's kind, creature, name of it, object, item; for fishing the zone.
Source = tuple[str, int, str, str, int, str]
Facts = dict[tuple[Any, ...], int]


def facts(document: bytes, received_day: int) -> Facts:
    """Return what a valid document says of creatures, places, lootings and drops, and counts of what it lists."""
    root = ET.fromstring(document)
    version = int(root.attrib["version"])
    found: Facts = defaultdict(int)
    for record in root:
        if record.tag == "Mob":
            _read_mob(record, received_day, found)
        elif record.tag == "Loot":
            _read_loot(record, version, received_day, found)
    return found


def _read_mob(mob: ET.Element, received_day: int, found: Facts) -> None:
    creature, name = int(mob.get("blizzid", "0")), unescape(mob.attrib["name"])
    ends = mob.attrib["min"], mob.attrib["max"]
    levels = [int(level) for level in ends if level != "-1"]
    seen = min(_day(int(mob.attrib["date"])), received_day) if creature else received_day
    reaction = REACTIONS[mob.attrib["react"]] if creature else None
    lowest, highest = (min(levels), max(levels)) if levels else (None, None)
    found["mobs",] += 1
    found["creature", creature, name, lowest, highest, "-1" in ends, reaction, seen] += 1
    for zone in mob:
        for x, y in _coordinates(zone):
            subject = (creature, "" if creature else name)
            _note_first(found, ("stood", subject, *_place(zone), pack(x, y)), seen)
            found["coordinates",] += 1


def _read_loot(loot: ET.Element, version: int, received_day: int, found: Facts) -> None:
    source, xy, *place = loot_name(loot.attrib["name"], version)
    lootings = (loot.text or "").split("+")[1:]
    found["lootings",] += len(lootings)
    if source[0] == "unknown" or not lootings:
        return
    if source[0] != "kill":
        _note_first(found, ("stood", source, *place[:2], xy), received_day)
    found["looted", source, *place] += len(lootings)
    for looting in lootings:
        slots = looting.split("#")[:-1]
        coins = [int(slot) for slot in slots if ":" not in slot]
        found["with money", source, *place] += bool(coins)
        found["money", source, *place] += sum(coins)
        for item in {int(slot.split(":")[0]) for slot in slots if ":" in slot}:
            found["dropped", source, *place, item] += 1


def loot_name(name: str, version: int) -> tuple[Source, int, str, int, str]:
    """Return source, packed coordinate, zone, floor and difficulty of a `Loot` element."""
    head, _, last = name.rpartition("#")
    by_id = version == 44 or (version == 43 and bool(_floor(last) and _source_at(head)))  # 43 is written as either
    parts = _source_at(head if by_id else name)
    assert parts
    source, zone = unescape(parts[1]), unescape(parts[4])
    difficulty = next((word for word in DIFFICULTIES if zone.endswith(word) and zone != word), "")
    zone = zone.removesuffix(difficulty)
    kind, target = (KINDS[source[:4]], source[4:]) if source[:4] in KINDS else ("kill", source)
    known: dict[str, Any] = {"creature": 0, "name": "", "object": "", "item": 0, "water": ""}
    if kind == "fishing":
        known["water"] = zone
    elif target.startswith("n") and kind != "skinning" and (by_id or (version == 43 and _padded_id(target))):
        known["creature"] = int(target[1:], 16)
    elif target:
        known[{"n": "name", "o": "object", "i": "item"}[target[0]]] = (
            int(target[1:]) if target[0] == "i" else target[1:]
        )
    return (kind, *known.values()), pack(parts[2], parts[3]), zone, int(last) if by_id else 0, difficulty


def pack(x: str, y: str) -> int:
    return -1 if x == "-1" else round(float(x) * 10) * 1024 + round(float(y) * 10)


def _place(zone: ET.Element) -> tuple[str, int]:
    return unescape(zone.attrib["name"]), int(zone.get("level", "0"))


def _coordinates(zone: ET.Element) -> list[tuple[str, str]]:
    entries = [entry.split("/") for entry in (zone.text or "").split(",")[:-1]]
    return [(x, y) for x, y in entries]


def _day(number: int) -> int:
    year, month, day = 2009 + number // 372, number % 372 // 31 + 1, number % 31 + 1
    return (date(year, month, min(day, monthrange(year, month)[1])) - date(1970, 1, 1)).days


def _note_first(found: Facts, fact: tuple[Any, ...], day: int) -> None:
    found[fact] = min(found.get(fact, day), day)


# --- what makes two documents the same ----------------------------------------------------------------
def records(document: bytes) -> tuple[Any, ...]:
    """Return a document's records in a form that is equal for documents that hold the same."""
    root = ET.fromstring(document)
    found = [_record(record, int(root.attrib["version"])) for record in root]
    return tuple(sorted(found, key=repr))


def _record(record: ET.Element, version: int) -> tuple[Any, ...]:
    if record.tag == "Loot":
        lootings = [sorted(looting.split("#")[:-1]) for looting in (record.text or "").split("+")[1:]]
        return ("Loot", *loot_name(record.attrib["name"], version), sorted(lootings))
    attributes = dict(record.attrib)
    if record.tag == "Mob":
        attributes["name"] = unescape(attributes["name"])
    return (record.tag, sorted(attributes.items()), sorted(map(_child, record), key=repr))


def _child(child: ET.Element) -> tuple[Any, ...]:
    if child.tag == "Zone":
        return (*_place(child), sorted(pack(x, y) for x, y in _coordinates(child)))
    return (child.tag, sorted(child.items()))


# --- the same facts as workers find them -------------------------------------------------------------
def facts_of(found: Observations) -> Mapping[int, Facts]:
    """Return the facts of each document of a batch, but for the counts of what it lists."""
    facts: Mapping[int, Facts] = defaultdict(lambda: defaultdict(int))
    zones = [*found.zones, ""]  # -1 is none
    sources = {number: (*parts, zones[zone]) for number, *parts, zone in found.sources.rows()}
    places = {
        place: ((creature, name) if source < 0 else sources[source], zones[zone], floor)
        for place, creature, name, source, zone, floor in found.habitats.rows()
    }
    for no, *creature in found.creatures.rows():
        facts[no]["creature", *creature] += 1
    for place, xy, no, first_day in found.positions.rows():
        facts[no]["stood", *places[place], xy] = first_day
    for no, source, zone, floor, difficulty, *numbers in found.loot.rows():
        for what, number in zip(("looted", "with money", "money"), numbers, strict=True):
            facts[no][what, sources[source], zones[zone], floor, difficulty] += number
    for no, source, zone, floor, difficulty, item, drops in found.drops.rows():
        facts[no]["dropped", sources[source], zones[zone], floor, difficulty, item] += drops
    return facts


def same(plain: Facts, of_workers: Facts) -> bool:
    """Tell whether workers found what a plain reading finds."""
    said = {fact: number for fact, number in plain.items() if number and fact[0] not in LISTED}
    return said == {fact: number for fact, number in of_workers.items() if number}
