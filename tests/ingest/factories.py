"""Documents for tests: the smallest valid ones by hand, and random small ones that hold every rare form."""

from __future__ import annotations

import base64
import gzip
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from typing import TypeVar

import zstandard
from hypothesis import strategies as st

from ingest.formats.mobmapdata.precheck import precheck
from ingest.formats.mobmapdata.reading import Contents
from ingest.formats.mobmapdata.unwrap import unwrap
from ingest.formats.mobmapdata.validate import validate

MIB = 1 << 20
T = TypeVar("T")


def day(year: int, month: int, day_of_month: int) -> int:
    """Return a day's number as the addon counts it."""
    return (year - 2009) * 372 + (month - 1) * 31 + day_of_month - 1


def element(tag: str, attributes: dict[str, object], content: str = "") -> str:
    written = "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>"


def zone(coordinates: str = "21.6/33,", name: str = "Tausend Nadeln", level: int | None = 0) -> str:
    return element("Zone", {"name": name} | ({} if level is None else {"level": level}), coordinates)


def mob(
    *zones: str,
    name: str = "Lastkodo",
    id: int | None = 10636,
    min: int = 30,
    max: int = 31,
    react: int = 12,
    date: int = day(2024, 10, 4),
) -> str:
    """Write a creature as the addon does; without an id it is one of version 42, whose zones have no level."""
    levels = {"min": min, "max": max}
    known = levels if id is None else {"blizzid": id, **levels, "react": react, "date": date}
    return element("Mob", {"name": name, **known}, "".join(zones))


def loot(text: str = "+3651:0:0:1#", source: str = "n0x298C#21.6#33#Tausend Nadeln#0") -> str:
    return element("Loot", {"name": source}, text)


def document(*records: str, version: int = 44, language: str = "deDE") -> bytes:
    root = f'<MobMapData language="{language}" version="{version}" gameversion="3.3.5|test">'
    return f"{root}{''.join(records)}</MobMapData>".encode()


def open_body(body: bytes, encoding: str = "", chunk: int = 1 << 16) -> bytes:
    """Return the XML within a body that arrives in chunks of a size, as the upload endpoint finds it."""
    pieces = (body[start : start + chunk] for start in range(0, len(body), chunk))
    return b"".join(precheck(unwrap(pieces, encoding, 46 * MIB, 32 * MIB)))


def contents(body: bytes) -> Contents:
    """Return what validation finds in a body."""
    return validate(BytesIO(open_body(body)))


# --- documents as records, to be written down in any order -----------------------------------------
def _in_order(items: Sequence[T], shuffle: random.Random | None) -> list[T]:
    return shuffle.sample(items, len(items)) if shuffle else list(items)


@dataclass(frozen=True)
class Mob:
    """A creature with its zones, each a name, a floor and a list of coordinates; without an id it is version 42's."""

    name: str
    id: int | None
    min: int
    max: int
    react: int
    date: int
    zones: Sequence[tuple[str, int, Sequence[str]]]

    def write(self, shuffle: random.Random | None) -> str:
        zones = [
            zone("".join(f"{entry}," for entry in _in_order(entries, shuffle)), name, level if self.id else None)
            for name, level, entries in _in_order(self.zones, shuffle)
        ]
        return mob(*zones, name=self.name, id=self.id, min=self.min, max=self.max, react=self.react, date=self.date)


@dataclass(frozen=True)
class Loot:
    """Lootings of a source, each a list of slots; `floor` is None in version 42's form."""

    source: str
    at: str
    zone: str
    floor: int | None
    lootings: Sequence[Sequence[str]]

    def write(self, shuffle: random.Random | None) -> str:
        lootings = _in_order(self.lootings, shuffle)
        text = "".join("+" + "".join(f"{slot}#" for slot in _in_order(slots, shuffle)) for slots in lootings)
        floor = "" if self.floor is None else f"#{self.floor}"
        return loot(text, f"{self.source}#{self.at}#{self.zone}{floor}")


@dataclass(frozen=True)
class Note:
    """A whole document. `shape` is the version whose form its records have: 42 or 44, whatever `version` says."""

    version: int
    shape: int
    records: Sequence[Mob | Loot]
    others: Sequence[str] = ()

    def xml(self, seed: int | None = None, version: int | None = None) -> bytes:
        """Write the document; a seed shuffles everything that has no order."""
        shuffle = None if seed is None else random.Random(seed)
        written = [record.write(shuffle) for record in self.records] + list(self.others)
        return document(*_in_order(written, shuffle), version=version or self.version)


OTHERS = (
    element("Questcomment", {"timestamp": 1, "title": "a", "objective": "b", "text": "c$Bd\n"}),
    element("Merchant", {"name": " Polly"}, element("MItem", {"id": 7, "qty": -1, "ltd": 0, "cost": 5})),
    element("Recipe", {"name": "n", "skill": "s", "level": 1}, element("Reagent", {"id": 1, "count": 2})),
    element("Trainer", {"name": "t"}, element("Skill", {"name": "date", "cost": 6659})),
    element("EventObjective", {"questid": 1, "objective": "o"}, zone("1/1,-1/-1,")),
    element("MobSpell", {"name": "m"}, element("Spell", {"id": 1, "count": 0})),
)

#: Few, so that creatures share names; with escapes, markup, blanks, `#`, and letters beyond the plane.
NAMES = ["Lastkodo", " Polly", "K|uuml|hner|szlig| || | 1", "A#B", "<b>'\"&amp;", "|", "||uuml|", "🦌ر", "x" * 100]
ZONES = ["Tausend Nadeln", "M|ouml|nchs HEROICtal", "Die Todesminen", "<Zone>"]
_percent = st.one_of(
    st.integers(0, 100).map(str),
    st.tuples(st.integers(0, 99), st.integers(0, 9)).map(lambda parts: f"{parts[0]}.{parts[1]}"),
    st.sampled_from(["100", "100.0", "0", "0.0", "33", "33.0"]),
)
_place = st.one_of(st.tuples(_percent, _percent), st.sampled_from([("-1", "-1"), ("1", "1"), ("1.0", "1"), ("2", "2")]))
_entries = st.lists(_place.map("/".join), max_size=5)
_levels = st.sampled_from([-1, 0, 1, 30, 80, 999])
_days = st.sampled_from([0, day(2024, 10, 4), day(2024, 2, 31), day(2026, 11, 20), day(2199, 12, 31)])
_item = st.tuples(
    st.sampled_from([1, 3651, 20093, 2**31 - 1]),
    st.sampled_from([0, -7, 2**31 - 1]),
    st.sampled_from([0, -1, 4_294_967_295]),
    st.sampled_from([0, 1, 20]),
).map(lambda parts: ":".join(map(str, parts)))
_copper = st.sampled_from(["0", "1", "117", "2147483647"])


def _slots(shape: int) -> st.SearchStrategy[list[str]]:
    day_of_slot = st.sampled_from(["", ":54Z", ":0"] if shape == 44 else [""])
    return st.lists(st.one_of(_copper, st.tuples(_item, day_of_slot).map("".join)), max_size=4)


def mobs(shape: int) -> st.SearchStrategy[Mob]:
    ids = st.sampled_from([1, 10636, 4119, 2**31 - 1]) if shape == 44 else st.none()
    floors = st.sampled_from([0, 1, 99]) if shape == 44 else st.just(0)
    zones = st.lists(st.tuples(st.sampled_from(ZONES), floors, _entries), max_size=3)
    reactions = st.sampled_from([0, 1, 2, 10, 11, 12])
    return st.builds(Mob, st.sampled_from(NAMES), ids, _levels, _levels, reactions, _days, zones)


def _sources(shape: int) -> st.SearchStrategy[str]:
    by_name = st.sampled_from(NAMES)
    creature = st.sampled_from(["0x298C", "0x298c", "0x0000298C", "0x1", "0x7FFFFFFF"]) if shape == 44 else by_name
    pairs = [
        (st.sampled_from(["n", "PIPOn", "ENGNn"]), creature),
        (st.just("SKINn"), by_name),
        (st.sampled_from(["HERBo", "MINGo", "OPENo", "ENGNo"]), by_name),
        (st.sampled_from(["ITEMi", "DISNi", "PRSPi", "MILLi"]), st.sampled_from(["1", "2147483647"])),
        (st.sampled_from(["FISH", "UNKN"]), st.just("")),
    ]
    return st.one_of(*(st.tuples(*pair).map("".join) for pair in pairs))


def loots(shape: int) -> st.SearchStrategy[Loot]:
    difficulty = st.sampled_from(["", "", "HEROIC", "RAID1N", "RAID2H"])
    zones = st.tuples(st.sampled_from(ZONES), difficulty).map("".join)
    floors = st.sampled_from([0, 1, 99]) if shape == 44 else st.none()
    return st.builds(Loot, _sources(shape), _place.map("#".join), zones, floors, st.lists(_slots(shape), max_size=4))


@st.composite
def notes(draw: Callable[..., T]) -> Note:
    """Draw a small valid document of any version."""
    version, shape = draw(st.sampled_from([(42, 42), (43, 42), (43, 44), (44, 44)]))
    records = draw(st.lists(st.one_of(mobs(shape), loots(shape)), max_size=6))
    others = draw(st.lists(st.sampled_from(OTHERS), max_size=2))
    return Note(version, shape, records, others)


# --- the same document, wrapped otherwise -----------------------------------------------------------
WRAPPINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "byte-order mark": lambda xml: b"\xef\xbb\xbf \r\n" + xml + b"\n",
    "declaration": lambda xml: b"<?xml version='1.0' encoding='UTF-8'?>" + xml,
    "base64": base64.b64encode,
    "base64 with line breaks": lambda xml: (
        b"\r\n" + base64.encodebytes(xml).replace(b"\n", b"\r\n") + b" \xef\xbb\xbf\t"
    ),
    "gzip": gzip.compress,
    "gzip in two members": lambda xml: gzip.compress(xml[:7]) + gzip.compress(xml[7:]),
    "gzip of base64": lambda xml: gzip.compress(base64.b64encode(xml)),
    "zstd": zstandard.compress,
    "zstd of base64": lambda xml: zstandard.compress(base64.encodebytes(xml)),
}
