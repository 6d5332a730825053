"""Encounters of players with spawns: which spawn, and the position that the addon records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulation.world import Floats, Ints, Spawns, World

#: Tenths of a percent run from 0 to 1000; this stands for "position unknown".
UNKNOWN = 1001

#: How often the addon knows no position: outdoors (if another map is open), in instances.
UNKNOWN_OUTDOORS, UNKNOWN_INSTANCE = 0.01, 0.06


@dataclass(frozen=True)
class Chances:
    """A world's loot tables and spawns as arrays: one row per creature (and slot), one range per zone.

    `killed` has a row per side of players; `unknown` is the chance per site of an unknown position;
    `spawn_ends` and `object_spawn_ends` hold the end of each zone's rows in the world's spawns.
    """

    rates: Floats
    stacks: Ints
    money: Floats
    mean_copper: Ints
    killed: Floats
    zone_levels: Ints
    unknown: Floats
    spawn_ends: Ints
    object_spawn_ends: Ints


def chances(world: World) -> Chances:
    """Return a world's loot tables and spawns as arrays."""
    creatures = world.creatures
    widest = max(len(creature.loot.slots) for creature in creatures)
    rates, stacks = np.zeros((len(creatures), widest)), np.ones((len(creatures), widest), dtype=np.int64)
    for row, creature in enumerate(creatures):
        for column, slot in enumerate(creature.loot.slots):
            rates[row, column], stacks[row, column] = slot.rate, slot.stack
    killed_by_reaction = {0: 0.92, 1: 0.6, 2: 0.0}
    site_zones = np.array([zone for zone, _ in world.sites])
    every_zone = np.arange(len(world.zones))
    return Chances(
        rates=rates,
        stacks=stacks,
        money=np.array([creature.loot.money_chance for creature in creatures]),
        mean_copper=np.array([creature.loot.mean_copper for creature in creatures]),
        killed=np.array(
            [
                [killed_by_reaction[creature.reactions[side]] if creature.loot.slots else 0.0 for creature in creatures]
                for side in (0, 1)
            ]
        ),
        zone_levels=np.array([zone.level for zone in world.zones]),
        unknown=np.array(
            [UNKNOWN_INSTANCE if world.zones[zone].is_instance else UNKNOWN_OUTDOORS for zone in site_zones]
        ),
        spawn_ends=np.searchsorted(site_zones[world.spawns.site], every_zone, side="right"),
        object_spawn_ends=np.searchsorted(site_zones[world.object_spawns.site], every_zone, side="right"),
    )


def meet(rng: np.random.Generator, spawns: Spawns, rows: slice, preference: Floats, count: int) -> Ints:
    """Draw `count` of these rows of `spawns`, by weight and the player's preference for their targets."""
    cumulated = np.cumsum(spawns.weight[rows] * preference[spawns.target[rows]])
    met: Ints = rows.start + np.searchsorted(cumulated, rng.random(count) * cumulated[-1], side="right")
    return met


def stand(rng: np.random.Generator, spawns: Spawns, rows: Ints, unknown: Floats) -> tuple[Ints, Ints]:
    """Return the player's positions at encounters with these rows: tenths of a percent, clipped to the map."""
    along, lost = rng.random((2, len(rows)))
    deviation = spawns.deviation_pct[rows]
    noise = rng.standard_normal((2, len(rows)))
    x = spawns.x_pct[rows] + along * spawns.dx_pct[rows] + deviation * noise[0]
    y = spawns.y_pct[rows] + along * spawns.dy_pct[rows] + deviation * noise[1]
    x_tenths = np.clip(np.rint(10 * x), 0, 1000).astype(np.int64)
    y_tenths = np.clip(np.rint(10 * y), 0, 1000).astype(np.int64)
    x_tenths[lost < unknown] = y_tenths[lost < unknown] = UNKNOWN
    return x_tenths, y_tenths


def anywhere(rng: np.random.Generator, count: int) -> tuple[Ints, Ints]:
    """Return random positions, as a malicious player sends them."""
    return rng.integers(0, 1001, count), rng.integers(0, 1001, count)
