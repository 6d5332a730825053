"""Lootings other than of kills: skinning, pick-pocketing, gathering, opening, fishing and processing items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulation.encounters import Chances, meet, stand
from simulation.loot import Slot
from simulation.world import Ints, World

#: The format's prefix for each kind of object.
OBJECT_PREFIXES = {"herb": "HERB", "ore": "MING", "chest": "OPEN"}

#: Shares of kills that are also skinned or pick-pocketed, and gathered objects per kill.
SKINNED, PICKED, GATHERED = 0.35, 0.3, 0.06


@dataclass(frozen=True)
class Kills:
    """Kills with loot, as columns of equal length; positions in tenths of a percent.

    `hit_kill` and `hit_slot` are pairs of a kill and a slot of its loot table that dropped, sorted by kill. `count` is
    what the addon writes as the count of all slots: that of the first one. `copper` is 0 without money.
    """

    creature: Ints
    site: Ints
    x: Ints
    y: Ints
    day: Ints
    copper: Ints
    count: Ints
    hit_kill: Ints
    hit_slot: Ints


class SideLooting(NamedTuple):
    """A looting other than of a kill: `prefix` is the format's four letters.

    `target` is the row of a creature or object, the id of an item, or -1 (FISH, UNKN).
    `slots` holds (slot, count) pairs.
    """

    prefix: str
    target: int
    x: int
    y: int
    site: int
    day: int
    slots: tuple[tuple[Slot, int], ...]
    copper: int


def _draw(rng: np.random.Generator, slots: tuple[Slot, ...]) -> tuple[tuple[Slot, int], ...]:
    """Draw the slots of one looting, each with the count of the first."""
    chances = rng.random(len(slots) + 1).tolist()
    hits = [slot for slot, chance in zip(slots, chances, strict=False) if chance < slot.rate]
    return tuple((slot, 1 + int(chances[-1] * hits[0].stack)) for slot in hits)


def _from_objects(
    world: World, odds: Chances, zones: Ints, rng: np.random.Generator, *, count: int, day: int
) -> list[SideLooting]:
    """Return lootings of herbs, veins and chests in these zones."""
    starts = np.concatenate([[0], odds.object_spawn_ends])
    equal_preference = np.ones(len(world.objects))
    found = []
    for zone in zones.tolist():
        rows = meet(
            rng, world.object_spawns, slice(starts[zone], starts[zone + 1]), equal_preference, -(-count // len(zones))
        )
        x, y = stand(rng, world.object_spawns, rows, odds.unknown[world.object_spawns.site[rows]])
        for row, object_x, object_y in zip(rows.tolist(), x.tolist(), y.tolist(), strict=True):
            target = int(world.object_spawns.target[row])
            thing = world.objects[target]
            slots = _draw(rng, thing.slots)
            if slots:
                prefix, site = OBJECT_PREFIXES[thing.kind], int(world.object_spawns.site[row])
                found.append(SideLooting(prefix, target, object_x, object_y, site, day, slots, 0))
    return found


def _of_kills(
    world: World, kills: Kills, rng: np.random.Generator, *, share: float, prefix: str, attribute: str
) -> list[SideLooting]:
    """Return lootings of a share of the kills that have the attribute (`skins` or `pockets`), at the same position."""
    found = []
    for row in np.flatnonzero(rng.random(len(kills.creature)) < share).tolist():
        target = int(kills.creature[row])
        slot: Slot | None = getattr(world.creatures[target], attribute)
        drawn = _draw(rng, (slot,)) if slot else ()
        if drawn:
            where = int(kills.x[row]), int(kills.y[row]), int(kills.site[row]), int(kills.day[row])
            copper = int(rng.integers(1, 40)) if attribute == "pockets" and rng.random() < 0.6 else 0
            found.append(SideLooting(prefix, target, *where, drawn, copper))
    return found


def _processing(world: World, kills: Kills, rng: np.random.Generator, count: int) -> list[SideLooting]:
    """Return fishing, opened and processed items and unknown sources, at the positions of kills."""
    items = world.items
    mechanical = [row for row, creature in enumerate(world.creatures) if creature.kind == "mechanical"]
    found = []
    for row, choice in zip(
        rng.integers(0, len(kills.creature), count).tolist(), rng.random(count).tolist(), strict=True
    ):
        if choice < 0.6:
            prefix, target, gives, stack = "FISH", -1, items.fish, 1
        elif choice < 0.7:
            prefix, target, gives, stack = "ITEM", int(rng.choice(items.containers)), items.things[:12], 1
        elif choice < 0.77:
            prefix, target, gives, stack = "DISN", int(rng.choice(items.things)), items.dusts, 3
        elif choice < 0.84:
            prefix, target, gives, stack = "PRSP", int(rng.choice(items.ores)), items.gems, 2
        elif choice < 0.91:
            prefix, target, gives, stack = "MILL", int(rng.choice(items.herbs)), items.pigments, 4
        elif choice < 0.94:
            prefix, target, gives, stack = "ENGN", int(rng.choice(mechanical)), items.cogs, 2
        else:
            prefix, target, gives, stack = "UNKN", -1, items.things, 1
        slots = ((Slot(int(rng.choice(gives)), 1.0), int(rng.integers(1, stack + 1))),)
        where = int(kills.x[row]), int(kills.y[row]), int(kills.site[row]), int(kills.day[row])
        found.append(SideLooting(prefix, target, *where, slots, 0))
    return found


def side_lootings(
    world: World,
    odds: Chances,
    kills: Kills,
    zones: Ints,
    rng: np.random.Generator,
    *,
    skins: bool,
    picks_pockets: bool,
) -> list[SideLooting]:
    """Return the player's other lootings during these kills in these zones."""
    if not len(kills.creature):
        return []
    gathered = int(rng.poisson(GATHERED * len(kills.creature)))
    found = _from_objects(world, odds, zones, rng, count=gathered, day=int(kills.day[0]))
    if skins:
        found += _of_kills(world, kills, rng, share=SKINNED, prefix="SKIN", attribute="skins")
    if picks_pockets:
        found += _of_kills(world, kills, rng, share=PICKED, prefix="PIPO", attribute="pockets")
    return found + _processing(world, kills, rng, int(rng.poisson(1 + 0.03 * len(kills.creature))))
