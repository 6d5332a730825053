"""Write a player's weeks as the addon does: one `MobMapData` document.

The text is joined from fragments that are made once per world, locale and version. Whole columns of fragments are
joined as arrays of objects, so that a document of 65 KB takes some milliseconds.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simulation.encounters import UNKNOWN
from simulation.gathering import SideLooting
from simulation.names import as_written
from simulation.players import PLAYED_DAYS, Journey
from simulation.records import make_records
from simulation.world import World

Texts = npt.NDArray[Any]

#: The addon stops its export here and drops what follows.
ADDON_LIMIT_CHARACTERS = 180_000

#: The first day of play.
FIRST_DAY = date(2023, 11, 1)

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_END = "</MobMapData>"


class Document(NamedTuple):
    """The text of a document, and the counts that its receipt must show."""

    text: str
    positions: int
    lootings: int


class _Record(NamedTuple):
    text: str
    positions: int
    lootings: int


def addon_day(day: date) -> int:
    """Return a day as the addon counts them: `addon_day(date(2026, 10, 1)) == 6603`."""
    return (day.year - 2009) * 372 + (day.month - 1) * 31 + day.day - 1


def base36(number: int) -> str:
    """Return a number of at least 0 in base 36: `base36(6603) == "53F"`."""
    text = ""
    while number or not text:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    return text


def _objects(texts: list[str]) -> Texts:
    column = np.empty(len(texts), dtype=object)
    column[:] = texts
    return column


def tenths(value: int) -> str:
    """Return tenths of a percent as the addon writes them: 216 → `21.6`, 700 → `70`, `UNKNOWN` → `-1`."""
    if value == UNKNOWN:
        return "-1"
    whole, tenth = divmod(value, 10)
    return f"{whole}.{tenth}" if tenth else str(whole)


class Writer:
    """Writes uploads of one world in one locale and version (42, 43 or 44; 43 is written like 44)."""

    def __init__(self, world: World, locale: str, version: int) -> None:
        self.world, self.version = world, version
        self.has_ids = version > 42
        self.head = (
            f'<MobMapData language="{locale}" version="{version}" gameversion="12.7.3|play.lantern-isles.example">'
        )
        self.records = make_records(world, locale, version)
        numbers = [tenths(value) for value in range(UNKNOWN + 1)]
        self.x_slash, self.y_comma = (
            _objects([f"{text}/" for text in numbers]),
            _objects([f"{text}," for text in numbers]),
        )
        self.hash_after = _objects([f"{text}#" for text in numbers])
        self.numbers = numbers
        days = [addon_day(FIRST_DAY + timedelta(days=row)) for row in range(PLAYED_DAYS)]
        self.days = days
        self.slot_ends = _objects([f":{base36(day)}#" if self.has_ids else "#" for day in days])
        self.slot_end_texts = self.slot_ends.tolist()
        self.counts = _objects([str(count) for count in range(10)])
        self.creature_names = [as_written(creature.name.localized(locale)) for creature in world.creatures]
        self.object_names = [as_written(thing.name.localized(locale)) for thing in world.objects]
        self.zone_names = [as_written(zone.name.localized(locale)) for zone in world.zones]
        # Version 42 has no ids: the name is the key.
        self.creature_keys = [
            f"n0x{creature.id:04X}" if self.has_ids else f"n{name}"
            for creature, name in zip(world.creatures, self.creature_names, strict=True)
        ]
        self.sources = _objects([f'<Loot name="{key}#' for key in self.creature_keys])
        self.mob_zones = [
            f'<Zone name="{self.zone_names[zone]}" level="{floor}">'
            if self.has_ids
            else f'<Zone name="{self.zone_names[zone]}">'
            for zone, floor in world.sites
        ]
        widest = max(len(creature.loot.slots) for creature in world.creatures)
        self.slots = np.full((len(world.creatures), widest), "", dtype=object)
        for row, creature in enumerate(world.creatures):
            for column, slot in enumerate(creature.loot.slots):
                self.slots[row, column] = f"{slot.item}:{slot.suffix}:{slot.unique}:"

    def write(self, journey: Journey, rng: np.random.Generator) -> Document:
        """Return the document of a journey; its records are in random order, like the addon's tables."""
        head, tail = self.head, _END
        kinds = [
            self._ignored("Questcomment", rng),
            self._mobs(journey),
            self._ignored("Merchant", rng) + self._ignored("Recipe", rng),
            self._loots(journey),
            self._ignored("Trainer", rng) + self._ignored("EventObjective", rng) + self._ignored("MobSpell", rng),
        ]
        records = [kind[row] for kind in kinds for row in rng.permutation(len(kind)).tolist()]
        texts, positions, lootings = zip(*records, strict=True) if records else ((), (), ())
        room = ADDON_LIMIT_CHARACTERS - len(head) - len(tail)
        kept = int(np.searchsorted(np.cumsum([len(text) for text in texts]), room, side="right"))
        return Document("".join((head, *texts[:kept], tail)), sum(positions[:kept]), sum(lootings[:kept]))

    def _ignored(self, element: str, rng: np.random.Generator) -> list[_Record]:
        if element not in self.records.by_element:
            return []
        return [_Record(text, 0, 0) for text in self.records.some(rng, element)]

    def _mobs(self, journey: Journey) -> list[_Record]:
        """Return a `Mob` for every creature seen, with the positions of each of its zones and floors."""
        spawns, sites = self.world.spawns, len(self.world.sites)
        habitat = spawns.target[journey.seen] * sites + spawns.site[journey.seen]
        order = np.argsort(habitat, kind="stable")
        coordinates = (self.x_slash[journey.seen_x[order]] + self.y_comma[journey.seen_y[order]]).tolist()
        habitats, starts = np.unique(habitat[order], return_index=True)
        ends = [*starts[1:].tolist(), len(coordinates)]
        zones_of: dict[int, list[str]] = {}
        counts: dict[int, int] = {}
        for number, start, end in zip(habitats.tolist(), starts.tolist(), ends, strict=True):
            creature, site = divmod(number, sites)
            zones_of.setdefault(creature, []).append(f"{self.mob_zones[site]}{''.join(coordinates[start:end])}</Zone>")
            counts[creature] = counts.get(creature, 0) + end - start
        return [
            _Record(f"{self._mob_start(journey, creature)}{''.join(zones)}</Mob>", counts[creature], 0)
            for creature, zones in zones_of.items()
        ]

    def _mob_start(self, journey: Journey, row: int) -> str:
        creature, name = self.world.creatures[row], self.creature_names[row]
        lowest = -1 if creature.boss else min(creature.level_min + int(journey.levels[row]), creature.level_max)
        highest = -1 if creature.boss else creature.level_max
        if not self.has_ids:
            return f'<Mob name="{name}" min="{lowest}" max="{highest}">'
        react = creature.reactions[journey.player.horde] + (10 if journey.player.horde else 0)
        day = self.days[int(journey.seen_day[row])]
        return (
            f'<Mob name="{name}" blizzid="{creature.id}" min="{lowest}" max="{highest}" react="{react}" date="{day}">'
        )

    def _name_ends(self, journey: Journey) -> list[str]:
        """Return for every site the part of a source's name after the coordinates: `Brackenfell#0">`."""
        return [
            f"{self.zone_names[zone]}{journey.difficulties.get(zone, '')}" + (f'#{floor}">' if self.has_ids else '">')
            for zone, floor in self.world.sites
        ]

    def _loots(self, journey: Journey) -> list[_Record]:
        """Return a `Loot` for every source and location, with all its lootings."""
        kills, name_ends = journey.kills, self._name_ends(journey)
        tails = self.counts[kills.count] + self.slot_ends[kills.day]
        slots = (self.slots[kills.creature[kills.hit_kill], kills.hit_slot] + tails[kills.hit_kill]).tolist()
        ends = np.cumsum(np.bincount(kills.hit_kill, minlength=len(kills.creature))).tolist()
        starts = (
            self.sources[kills.creature]
            + self.hash_after[kills.x]
            + self.hash_after[kills.y]
            + _objects(name_ends)[kills.site]
        ).tolist()
        found: dict[str, list[str]] = {}
        begin = 0
        for start, end, copper in zip(starts, ends, kills.copper.tolist(), strict=True):
            text = "+" + "".join(slots[begin:end])
            if copper:
                text = f"{text}{copper}#"
            if start in found:
                found[start].append(text)
            else:
                found[start] = [text]
            begin = end
        for looting in journey.side:
            start, text = self._side(looting, name_ends[looting.site])
            found.setdefault(start, []).append(text)
        return [_Record(f"{start}{''.join(texts)}</Loot>", 0, len(texts)) for start, texts in found.items()]

    def _side(self, looting: SideLooting, name_end: str) -> tuple[str, str]:
        """Return the start tag of another looting's element, and its text."""
        prefix, target = looting.prefix, looting.target
        if prefix == "SKIN":  # has the localized name in every version
            key = f"n{self.creature_names[target]}"
        elif prefix in {"PIPO", "ENGN"}:
            key = self.creature_keys[target]
        elif prefix in {"HERB", "MING", "OPEN"}:
            key = f"o{self.object_names[target]}"
        else:
            key = f"i{target}" if target >= 0 else ""
        day = self.slot_end_texts[looting.day]
        slots = "".join(f"{slot.item}:{slot.suffix}:{slot.unique}:{count}{day}" for slot, count in looting.slots)
        money = f"{looting.copper}#" if looting.copper else ""
        return (
            f'<Loot name="{prefix}{key}#{self.numbers[looting.x]}#{self.numbers[looting.y]}#{name_end}',
            f"+{slots}{money}",
        )
