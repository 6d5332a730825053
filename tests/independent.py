"""A second opinion on what uploads add up to: another parser, plain dictionaries, a record at a time.

Shares no code with the pipeline, so that a rule misread there shows. Rules as in the format's README.
"""

from __future__ import annotations

import base64
import html
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

ESCAPES = [("|uuml|", "ü"), ("|auml|", "ä"), ("|ouml|", "ö"), ("|Uuml|", "Ü"), ("|Auml|", "Ä"), ("|Ouml|", "Ö")]
ESCAPES += [("|szlig|", "ß"), ("||", "|"), ("$B", "\n")]
DIFFICULTIES = ["HEROIC", "RAID1N", "RAID2N", "RAID1H", "RAID2H"]
OTHER_KINDS = ["SKIN", "PIPO", "HERB", "MING", "ENGN", "OPEN", "ITEM", "DISN", "PRSP", "MILL", "FISH"]

_tag = re.compile(r"<(/?)(\w+)((?:\s+\w+=\"[^\"]*\")*)\s*(/?)>([^<]*)")
_with_floor = re.compile(r".+#[\d.-]+#[\d.-]+#.+#\d+", re.DOTALL).fullmatch
_attribute = re.compile(r"(\w+)=\"([^\"]*)\"")

Coordinate = tuple[str, str, int, str]  # creature key, zone, floor, "x/y"


@dataclass
class Counts:
    """What a set of uploads adds up to. A creature's key is its id as text, or its name."""

    sightings: dict[Coordinate, int] = field(default_factory=lambda: defaultdict(int))
    uploaders: dict[Coordinate, set[str]] = field(default_factory=lambda: defaultdict(set))
    unplaced: dict[tuple[str, str, int], int] = field(default_factory=lambda: defaultdict(int))
    #: By source as written (prefix, target), zone, floor, difficulty.
    lootings: dict[tuple[str, str, str, int, str], int] = field(default_factory=lambda: defaultdict(int))
    drops: dict[tuple[str, str, str, int, str, int], int] = field(default_factory=lambda: defaultdict(int))
    money: dict[tuple[str, str, str, int, str], int] = field(default_factory=lambda: defaultdict(int))
    money_lootings: dict[tuple[str, str, str, int, str], int] = field(default_factory=lambda: defaultdict(int))
    ids_of_name: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def shown(self, creature: str) -> str:
        """Return the key under which a creature is shown: a name that one id owns is that id."""
        if creature.isdigit():
            return creature
        owners = self.ids_of_name.get(creature, set())
        return next(iter(owners)) if len(owners) == 1 else creature


@cache
def unescape(text: str) -> str:
    out, position = "", 0
    while position < len(text):
        for escape, letter in ESCAPES:
            if text.startswith(escape, position):
                out, position = out + letter, position + len(escape)
                break
        else:
            out, position = out + text[position], position + 1
    return out


def count(uploads: Iterable[tuple[str, bytes]]) -> Counts:
    """Count uploads given as pairs of sender and XML or Base64, each content once."""
    counts = Counts()
    for sender, body in uploads:
        _count_one(counts, sender, body)
    return counts


def _count_one(counts: Counts, sender: str, body: bytes) -> None:
    text = (body if body.lstrip().startswith(b"<") else base64.b64decode(body)).decode("utf-8")
    version = 0
    mob: dict[str, str] = {}
    inside = ""
    listed: set[Coordinate] = set()
    unplaced: set[tuple[str, str, int]] = set()
    for closing, tag, attributes_text, _, content in _tag.findall(text):
        if closing:
            continue
        attributes = {name: html.unescape(value) for name, value in _attribute.findall(attributes_text)}
        if tag == "MobMapData":
            version = int(attributes["version"])
        elif tag == "Mob":
            inside, mob = tag, attributes
            if "blizzid" in mob:
                counts.ids_of_name[unescape(mob["name"])].add(mob["blizzid"])
        elif tag == "Zone" and inside == "Mob":
            creature = mob.get("blizzid") or unescape(mob["name"])
            zone, floor = unescape(attributes["name"]), int(attributes.get("level", "0"))
            entries = set(filter(None, content.split(",")))
            if "-1/-1" in entries:
                unplaced.add((creature, zone, floor))
            listed |= {(creature, zone, floor, re.sub(r"\.0\b", "", entry)) for entry in entries - {"-1/-1"}}
        elif tag == "Loot":
            inside = tag
            _count_loot(counts, attributes["name"], content, version)
        elif tag != "Zone":
            inside = tag
    for coordinate in listed:
        counts.sightings[coordinate] += 1
        counts.uploaders[coordinate].add(sender)
    for place in unplaced:
        counts.unplaced[place] += 1


def _count_loot(counts: Counts, name: str, content: str, version: int) -> None:
    floor = 0
    by_id = version == 44 or (version == 43 and _with_floor(name) is not None)  # 43 is written as either
    if by_id:
        name, _, last = name.rpartition("#")
        floor = int(last)
    source, _x, _y, zone = name.rsplit("#", 3)
    zone, source = unescape(zone), unescape(source)
    difficulty = next((word for word in DIFFICULTIES if zone.endswith(word)), "")
    zone = zone.removesuffix(difficulty)
    kind = source[:4] if source[:4] in [*OTHER_KINDS, "UNKN"] else ""
    target = source[len(kind) :]
    if kind == "UNKN":
        return
    if target.startswith("n") and kind != "SKIN" and by_id:
        target = "n" + str(int(target[1:], 16))
    if kind == "FISH":
        target = zone
    at = (kind, target, zone, floor, difficulty)
    for looting in content.split("+")[1:]:
        slots = list(filter(None, looting.split("#")))
        counts.lootings[at] += 1
        for item in {int(slot.split(":")[0]) for slot in slots if ":" in slot}:
            counts.drops[(*at, item)] += 1
        coins = [int(slot) for slot in slots if ":" not in slot]
        if coins:
            counts.money[at] += sum(coins)
            counts.money_lootings[at] += 1


def merged(counts: Counts) -> dict[str, Any]:
    """Return counts as they are shown, per creature and zone: comparable with `merged_tables.read`."""
    shown: dict[str, Any] = {"sightings": {}, "uploaders": {}, "lootings": {}, "drops": {}, "money": {}, "unplaced": {}}
    sightings: dict[Any, int] = defaultdict(int)
    uploaders: dict[Any, set[str]] = defaultdict(set)
    for (creature, *rest), number in counts.sightings.items():
        sightings[(counts.shown(creature), *rest)] += number
    for (creature, *rest), senders in counts.uploaders.items():
        uploaders[(counts.shown(creature), *rest)] |= senders
    shown["sightings"] = dict(sightings)
    shown["uploaders"] = {coordinate: len(senders) for coordinate, senders in uploaders.items()}
    for table in ("lootings", "drops", "money"):
        summed: dict[Any, int] = defaultdict(int)
        for (kind, target, *rest), number in getattr(counts, table).items():
            key = "n" + counts.shown(target[1:]) if target.startswith("n") else target
            summed[(kind, key, *rest)] += number
        shown[table] = dict(summed)
    unplaced: dict[Any, int] = defaultdict(int)
    for (creature, *rest), number in counts.unplaced.items():
        unplaced[(counts.shown(creature), *rest)] += number
    shown["unplaced"] = dict(unplaced)
    return shown
