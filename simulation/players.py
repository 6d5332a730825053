"""A player's weeks: the zones they visit, what they see, kill and gather there, and their positions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simulation.encounters import Chances, anywhere, meet, stand
from simulation.gathering import Kills, SideLooting, side_lootings
from simulation.world import Floats, Ints, World

#: Days of the world's two years of play; an upload covers `WEEKS_DAYS` of them.
PLAYED_DAYS = 720
WEEKS_DAYS = 21

_HIGHEST_LEVEL = 60


@dataclass(frozen=True)
class Player:
    """What determines a player's zones and loot."""

    level: int
    horde: bool
    skins: bool
    picks_pockets: bool


@dataclass(frozen=True)
class Journey:
    """What the addon recorded: positions in tenths of a percent (or `UNKNOWN`), days since the first day of play.

    Sightings are columns of equal length: `seen` holds rows of the world's spawns. `seen_day` and `levels` hold, for
    every creature of the world, the day of its first sighting and the offset of the seen levels in its range.
    """

    player: Player
    difficulties: dict[int, str]
    seen: Ints
    seen_x: Ints
    seen_y: Ints
    seen_day: Ints
    levels: Ints
    kills: Kills
    side: list[SideLooting]


def make_player(rng: np.random.Generator) -> Player:
    """Return a player; most have a medium level."""
    return Player(
        level=int(np.clip(rng.normal(34, 18), 1, _HIGHEST_LEVEL)),
        horde=bool(rng.random() < 0.5),
        skins=bool(rng.random() < 0.35),
        picks_pockets=bool(rng.random() < 0.12),
    )


def _choose_zones(rng: np.random.Generator, player: Player, zone_levels: Ints) -> tuple[Ints, Floats]:
    """Return one to four zones near the player's level and the shares of time in each."""
    preference = np.exp(-(((zone_levels - player.level) / 9.0) ** 2)) + 0.01
    count = int(rng.integers(1, 5))
    zones = rng.choice(len(zone_levels), count, replace=False, p=preference / preference.sum())
    shares = rng.exponential(1.0, count) + 0.1
    return zones, shares / shares.sum()


def _kill(
    rng: np.random.Generator, odds: Chances, player: Player, seen: Ints, targets: Ints
) -> tuple[Ints, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return the killed ones of the seen rows in random order, which of their slots drop, and whether money does."""
    killed = seen[rng.random(len(seen)) < odds.killed[int(player.horde)][targets[seen]]]
    killed = rng.permutation(killed)
    hits = rng.random((len(killed), odds.rates.shape[1])) < odds.rates[targets[killed]]
    money = rng.random(len(killed)) < odds.money[targets[killed]]
    gave = hits.any(axis=1) | money  # the addon never records a looting that gave nothing
    return killed[gave], hits[gave], money[gave]


def travel(
    world: World, odds: Chances, player: Player, rng: np.random.Generator, encounters: int, *, malicious: bool = False
) -> Journey:
    """Return a player's weeks with `encounters` sightings; a malicious one's positions are random."""
    zones, shares = _choose_zones(rng, player, odds.zone_levels)
    preference = rng.exponential(1.0, len(world.creatures)) + 0.05
    counts = rng.multinomial(encounters, shares)
    spawns = world.spawns
    starts = np.concatenate([[0], odds.spawn_ends])
    seen = np.concatenate(
        [
            meet(rng, spawns, slice(starts[zone], starts[zone + 1]), preference, count)
            for zone, count in zip(zones.tolist(), counts.tolist(), strict=True)
        ]
    )
    killed, hits, money = _kill(rng, odds, player, seen, spawns.target)
    kill = spawns.target[killed]
    hit_kill, hit_slot = np.nonzero(hits)
    most = np.ones(len(kill), dtype=np.int64)
    kills_with_items, first_hits = np.unique(hit_kill, return_index=True)
    most[kills_with_items] = odds.stacks[kill[kills_with_items], hit_slot[first_hits]]
    site = spawns.site[killed]
    if malicious:
        seen_x, seen_y = anywhere(rng, len(seen))
        kill_x, kill_y = anywhere(rng, len(kill))
    else:
        seen_x, seen_y = stand(rng, spawns, seen, odds.unknown[spawns.site[seen]])
        kill_x, kill_y = stand(rng, spawns, killed, odds.unknown[site])
    first_day = int(rng.integers(0, PLAYED_DAYS - WEEKS_DAYS))
    kills = Kills(
        creature=kill,
        site=site,
        x=kill_x,
        y=kill_y,
        day=first_day + rng.integers(0, WEEKS_DAYS, len(kill)),
        copper=np.where(money, rng.integers(1, 2 * odds.mean_copper[kill]), 0),
        count=1 + (rng.random(len(kill)) * most).astype(np.int64),
        hit_kill=hit_kill,
        hit_slot=hit_slot,
    )
    side = side_lootings(world, odds, kills, zones, rng, skins=player.skins, picks_pockets=player.picks_pockets)
    if malicious:
        side = [
            looting._replace(x=int(x), y=int(y)) for looting, x, y in zip(side, *anywhere(rng, len(side)), strict=True)
        ]
    return Journey(
        player=player,
        difficulties={
            zone: str(rng.choice(world.zones[zone].difficulties))
            for zone in zones.tolist()
            if world.zones[zone].is_instance
        },
        seen=seen,
        seen_x=seen_x,
        seen_y=seen_y,
        seen_day=first_day + rng.integers(0, WEEKS_DAYS, len(world.creatures)),
        levels=rng.integers(0, 2, len(world.creatures)),
        kills=kills,
        side=side,
    )
