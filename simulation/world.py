"""The invented world: the same for every locale and version of the format; it depends only on its seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from simulation import landscape, loot, names, words
from simulation.landscape import Outline
from simulation.loot import Items, LootTable, Slot
from simulation.names import Name

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Reactions as seen by the Alliance and by the Horde: hostile 0, neutral 1, friendly 2.
HOSTILE, NEUTRAL, FRIENDLY = (0, 0), (1, 1), (2, 2)


@dataclass(frozen=True)
class Zone:
    """A zone or instance; `floors` are numbered from 1 in instances, outdoors there is floor 0 alone."""

    name: Name
    level: int
    floors: tuple[int, ...]
    difficulties: tuple[str, ...]
    towns: tuple[str, ...]
    outline: Outline

    @property
    def is_instance(self) -> bool:
        """Whether each group of players has a copy of it for themselves."""
        return bool(self.difficulties)


@dataclass(frozen=True)
class Creature:
    """A kind of creature. `skins` and `pockets` are what skinning and pick-pocketing it give, if anything."""

    id: int
    name: Name
    kind: str
    level_min: int
    level_max: int
    boss: bool
    reactions: tuple[int, int]
    loot: LootTable
    skins: Slot | None = None
    pockets: Slot | None = None


@dataclass(frozen=True)
class GatheringObject:
    """Something to gather or open: `kind` is herb, ore or chest."""

    kind: str
    name: Name
    slots: tuple[Slot, ...]


@dataclass(frozen=True)
class Spawns:
    """Spawns of creatures or objects, as columns of equal length, sorted by site.

    A row is a spawn point `x_pct`, `y_pct` of a creature or object (`target`), or one leg of a patrol that starts there
    and ends `dx_pct`, `dy_pct` further. Recorded positions have a standard deviation of `deviation_pct`. `weight` is
    the relative frequency of encounters; the legs of a patrol share that of a point.
    """

    target: Ints
    site: Ints
    x_pct: Floats
    y_pct: Floats
    dx_pct: Floats
    dy_pct: Floats
    deviation_pct: Floats
    weight: Floats
    path: Ints


@dataclass(frozen=True)
class World:
    """The whole world. `sites` are the (zone, floor) pairs; `Spawns.site` is a row of it."""

    zones: tuple[Zone, ...]
    sites: tuple[tuple[int, int], ...]
    creatures: tuple[Creature, ...]
    objects: tuple[GatheringObject, ...]
    items: Items
    spawns: Spawns
    object_spawns: Spawns


@dataclass
class _SpawnRows:
    """Collects rows of `Spawns` while the world is made."""

    rows: list[tuple[int, int, float, float, float, float, float, float, int]] = field(default_factory=list)
    paths: int = 0

    def points(self, target: int, site: int, points: landscape.Points, deviation_pct: float, weight: float) -> None:
        for x, y in points.tolist():
            self.rows.append((target, site, x, y, 0.0, 0.0, deviation_pct, weight, -1))

    def patrol(self, target: int, site: int, corners: landscape.Points, deviation_pct: float, weight: float) -> None:
        legs = np.diff(corners, axis=0)
        for (x, y), (dx, dy) in zip(corners[:-1].tolist(), legs.tolist(), strict=True):
            self.rows.append((target, site, x, y, dx, dy, deviation_pct, weight / len(legs), self.paths))
        self.paths += 1

    def spawns(self) -> Spawns:
        columns = [np.array(column) for column in zip(*sorted(self.rows, key=lambda row: row[1]), strict=True)]
        return Spawns(*columns)


@dataclass
class _Maker:
    """Makes the creatures, zone by zone."""

    rng: np.random.Generator
    items: Items
    zones: list[Zone]
    sites: list[tuple[int, int]]
    creatures: list[Creature] = field(default_factory=list)
    spawn_rows: _SpawnRows = field(default_factory=_SpawnRows)
    people: list[tuple[str, int]] = field(default_factory=list)
    last_id: int = 3000

    def creature(self, name: Name, kind: str, level: int, reactions: tuple[int, int], species: int = 0) -> int:
        """Add a creature and return its row."""
        rng, boss = self.rng, kind == "boss"
        self.last_id += int(rng.integers(1, 150))
        lowest = max(1, level + int(rng.integers(-2, 1)))
        alive = kind not in {"townsperson", "critter"}
        table = (
            loot.creature_table(rng, self.items, kind=kind, species=species, level=level, boss=boss)
            if alive
            else LootTable(())
        )
        pelt = self.items.pelts[min(level // 20, 2)]
        self.creatures.append(
            Creature(
                id=self.last_id,
                name=name,
                kind=kind,
                level_min=lowest,
                level_max=lowest + int(rng.integers(0, 3)),
                boss=boss,
                reactions=reactions,
                loot=table,
                skins=Slot(pelt, 1.0, stack=2) if kind == "beast" else None,
                pockets=Slot(int(rng.choice(self.items.things)), 0.4) if kind == "folk" else None,
            )
        )
        return len(self.creatures) - 1

    def settle(self, row: int, zone: int, count: int, floor: int | None = None) -> None:
        """Give a creature spawn points in a zone, and sometimes a patrol."""
        rng, shape = self.rng, self.zones[zone].outline
        floors = self.zones[zone].floors
        site = self.sites.index((zone, floors[int(rng.integers(len(floors)))] if floor is None else floor))
        deviation = float(np.clip(rng.normal(0.2, 0.06), 0.08, 0.4))
        self.spawn_rows.points(row, site, landscape.camps(rng, shape, count), deviation, 0.4 if count == 1 else 1.0)
        if count > 3 and rng.random() < 0.15:
            self.spawn_rows.patrol(row, site, landscape.patrol(rng, shape), deviation, 1.0)

    def notable(self) -> Name:
        """Return the name of the next boss or rare creature."""
        if not self.people:
            self.people = list(product(words.PEOPLE, range(len(words.EPITHETS))))
            self.rng.shuffle(self.people)
        person, epithet = self.people.pop()
        return names.notable(str(person), int(epithet))

    def outdoors(self, zone: int, beasts: list[tuple[int, int]], folk: int) -> None:
        """Fill a zone: beasts of several ages, a hostile folk, townspeople, an oddity, rare creatures."""
        rng, level = self.rng, self.zones[zone].level
        for number, (prefix, species) in enumerate(beasts):
            name = names.beast(prefix, species)
            grown = self.creature(name, "beast", level, NEUTRAL if number % 2 else HOSTILE, species)
            self.settle(grown, zone, int(rng.integers(12, 41)))
            if zone + 1 < len(words.OUTDOOR_ZONES) and number == 0:
                self.settle(grown, zone + 1, int(rng.integers(4, 12)))
            if number == 1 and zone % 3 == 0:  # another creature of the same name, because names are not unique
                self.settle(self.creature(name, "beast", level + 3, HOSTILE, species), zone, int(rng.integers(5, 15)))
            age = number % len(words.AGES)
            gender = words.BEASTS[species][2]
            aged = self.creature(names.aged(name, age, gender), "beast", level + (-2, 2, 1, -1)[age], HOSTILE, species)
            self.settle(aged, zone, int(rng.integers(4, 25)))
        for rank in rng.choice(len(words.RANKS), 5, replace=False).tolist():
            self.settle(
                self.creature(names.folk_member(folk, rank), "folk", level + 1, HOSTILE), zone, int(rng.integers(6, 30))
            )
        for town in self.zones[zone].towns:
            side = FRIENDLY if rng.random() < 0.4 else ((2, 0) if rng.random() < 0.5 else (0, 2))
            for trade in rng.choice(len(words.TRADES), 2, replace=False).tolist():
                self.settle(self.creature(names.townsperson(trade, town), "townsperson", level + 5, side), zone, 1)
        oddity = zone % len(words.ODDITIES)
        odd = names.oddity(int(beasts[0][0]), oddity)
        self.settle(self.creature(odd, words.ODDITIES[oddity][3], level + 1, HOSTILE), zone, int(rng.integers(5, 20)))
        for _ in range(2):
            self.settle(self.creature(self.notable(), "rare", level + 3, HOSTILE), zone, 1)

    def instance(self, zone: int, folk: int) -> None:
        """Fill an instance: folk and oddities on every floor, and a boss at the end of each."""
        rng, level = self.rng, self.zones[zone].level
        ranks = rng.permutation(len(words.RANKS))[:9].tolist()
        for number, rank in enumerate(ranks):
            floor = self.zones[zone].floors[number % len(self.zones[zone].floors)]
            member = self.creature(names.folk_member(folk, rank), "folk", level, HOSTILE)
            self.settle(member, zone, int(rng.integers(4, 16)), floor)
        for floor in self.zones[zone].floors:
            self.settle(self.creature(self.notable(), "boss", level + 2, HOSTILE), zone, 1, floor)


def _object_spawns(
    rng: np.random.Generator, zones: list[Zone], sites: list[tuple[int, int]], objects: list[GatheringObject]
) -> Spawns:
    spawn_rows = _SpawnRows()
    for site, (zone, _) in enumerate(sites):
        kinds = {"chest": 2} if zones[zone].is_instance else {"herb": 3, "ore": 2, "chest": 2}
        for kind, count in kinds.items():
            rows = [row for row, thing in enumerate(objects) if thing.kind == kind]
            for row in rng.choice(rows, count, replace=False).tolist():
                points = landscape.inside(rng, zones[zone].outline, int(rng.integers(3, 21)))
                spawn_rows.points(row, site, np.round(points, 1), 0.15, 1.0)
    return spawn_rows.spawns()


@lru_cache(maxsize=4)
def make_world(seed: int) -> World:
    """Return the world of a seed: 14 zones, some 250 creatures, some 400 items.

    The names come from fixed lists; positions and loot depend on the seed.
    """
    rng = np.random.default_rng([seed, 0])
    items = loot.make_items(rng)
    zones = [
        Zone(Name(english, german), level, (0,), (), towns, landscape.outline(rng))
        for english, german, level, towns in words.OUTDOOR_ZONES
    ]
    zones += [
        Zone(Name(english, german), level, tuple(range(1, floors + 1)), ("", *hard), (), landscape.outline(rng))
        for english, german, level, floors, hard in words.INSTANCES
    ]
    sites = [(row, floor) for row, zone in enumerate(zones) for floor in zone.floors]
    maker = _Maker(rng, items, zones, sites)
    beasts = [(int(row) % len(words.PREFIXES), int(row) // len(words.PREFIXES)) for row in
              rng.permutation(len(words.PREFIXES) * len(words.BEASTS))]  # fmt: skip
    for row, zone in enumerate(zones):
        if zone.is_instance:
            maker.instance(row, row)
        else:
            maker.outdoors(row, [beasts.pop() for _ in range(4)], row)
    objects = [
        GatheringObject(kind, Name(*name), loot.gathering_table(rng, items, kind, row))
        for kind, rows in (
            ("herb", words.HERBS),
            ("ore", [(f"{english} Vein", f"{german}ader") for english, german in words.ORES]),
            ("chest", words.CHESTS),
        )
        for row, name in enumerate(rows)
    ]
    return World(
        zones=tuple(zones),
        sites=tuple(sites),
        creatures=tuple(maker.creatures),
        objects=tuple(objects),
        items=items,
        spawns=maker.spawn_rows.spawns(),
        object_spawns=_object_spawns(rng, zones, sites, objects),
    )
