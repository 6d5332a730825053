"""Items and loot tables: what drops from what, and how often."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from simulation import names, words
from simulation.names import Name


@dataclass(frozen=True)
class Slot:
    """An item that may be in a looting; `stack` is the largest count."""

    item: int
    rate: float
    stack: int = 1
    suffix: int = 0
    unique: int = 0


@dataclass(frozen=True)
class LootTable:
    """The loot of a kill: independent slots, and money (evenly distributed from 1 to 2·mean - 1 copper)."""

    slots: tuple[Slot, ...]
    money_chance: float = 0.0
    mean_copper: int = 1

    @property
    def nothing(self) -> float:
        """The chance that a kill gives nothing; the addon never records those."""
        chance = 1 - self.money_chance
        for slot in self.slots:
            chance *= 1 - slot.rate
        return chance


@dataclass
class Items:
    """All items of the world by group; ids are random, increasing and with gaps."""

    names: dict[int, Name] = field(default_factory=dict)
    things: list[int] = field(default_factory=list)
    parts: list[list[int]] = field(default_factory=list)
    pelts: list[int] = field(default_factory=list)
    cogs: list[int] = field(default_factory=list)
    herbs: list[int] = field(default_factory=list)
    ores: list[int] = field(default_factory=list)
    fish: list[int] = field(default_factory=list)
    containers: list[int] = field(default_factory=list)
    dusts: list[int] = field(default_factory=list)
    gems: list[int] = field(default_factory=list)
    pigments: list[int] = field(default_factory=list)


def make_items(rng: np.random.Generator) -> Items:
    """Return the world's items."""
    items = Items()
    last_id = 100

    def add(name: Name) -> int:
        nonlocal last_id
        last_id += int(rng.integers(1, 60))
        items.names[last_id] = name
        return last_id

    for row in range(len(words.THINGS)):
        items.things += [add(names.thing(adjective, row)) for adjective in range(len(words.ADJECTIVES))]
    items.parts = [
        [add(names.part(species, row)) for row in range(len(words.PARTS))] for species in range(len(words.BEASTS))
    ]
    plain = {
        "pelts": words.PELTS,
        "cogs": words.COGS,
        "herbs": words.HERBS,
        "fish": words.FISH,
        "containers": words.CONTAINERS,
        "dusts": words.DUSTS,
        "gems": words.GEMS,
        "pigments": words.PIGMENTS,
    }
    for group, rows in plain.items():
        getattr(items, group).extend(add(Name(*row)) for row in rows)
    items.ores = [add(Name(f"{english} Ore", f"{german}brocken")) for english, german in words.ORES]
    return items


def _slot(rng: np.random.Generator, item: int, low: float, high: float, stack: int = 1) -> Slot:
    suffixed = stack == 1 and rng.random() < 0.06
    return Slot(
        item=item,
        rate=round(float(rng.uniform(low, high)), 4),
        stack=stack,
        suffix=-int(rng.integers(5, 80)) if suffixed else 0,
        unique=int(rng.integers(1, 2_000_000)) if suffixed else 0,
    )


def creature_table(
    rng: np.random.Generator, items: Items, *, kind: str, species: int, level: int, boss: bool
) -> LootTable:
    """Return the loot of a creature: common parts, uncommon things, rare ones, money by level.

    `species` is a row of `words.BEASTS` for the kind "beast". One beast in four is poor: most of
    its kills give nothing.
    """
    things = [int(item) for item in rng.choice(items.things, 8, replace=False)]
    if boss:
        slots = [_slot(rng, item, 0.15, 0.5) for item in things[:4]] + [
            _slot(rng, item, 0.01, 0.05) for item in things[4:7]
        ]
        rng.shuffle(slots)
        return LootTable(tuple(slots), money_chance=0.97, mean_copper=60 * level)
    if kind == "beast" and rng.random() < 0.25:
        slots = [_slot(rng, items.parts[species][0], 0.1, 0.25), _slot(rng, things[0], 0.004, 0.02)]
        return LootTable(tuple(slots))
    slots = [_slot(rng, item, 0.02, 0.12) for item in things[: rng.integers(2, 4)]]
    slots += [_slot(rng, item, 0.001, 0.015) for item in things[4 : rng.integers(5, 8)]]
    if kind == "beast":
        slots += [_slot(rng, item, 0.2, 0.6, stack=2) for item in items.parts[species][: rng.integers(2, 5)]]
        rng.shuffle(slots)
        return LootTable(tuple(slots))
    if kind == "mechanical":
        slots += [_slot(rng, item, 0.3, 0.5, stack=3) for item in items.cogs]
    rng.shuffle(slots)
    return LootTable(tuple(slots), round(float(rng.uniform(0.55, 0.9)), 3), 2 + int(level**1.6))


def gathering_table(rng: np.random.Generator, items: Items, kind: str, row: int) -> tuple[Slot, ...]:
    """Return what a herb, a vein or a chest gives; the first slot of a herb or vein always drops."""
    if kind == "herb":
        extra = _slot(rng, items.herbs[(row + 3) % len(items.herbs)], 0.02, 0.08)
        return (Slot(items.herbs[row], 1.0, stack=3), extra)
    if kind == "ore":
        return (Slot(items.ores[row], 1.0, stack=4), *(_slot(rng, gem, 0.02, 0.06) for gem in items.gems))
    return tuple(_slot(rng, int(item), 0.2, 0.5) for item in rng.choice(items.things, 5, replace=False))
