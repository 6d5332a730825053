"""Any number of uploads of one world; memory does not grow with their number."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from simulation import names
from simulation.encounters import Chances, chances
from simulation.players import Player, make_player, travel
from simulation.world import Floats, World
from simulation.writer import ADDON_LIMIT_CHARACTERS, Writer

#: Standard deviation of the logarithm of sizes: those of real exports differ widely.
SIZE_DEVIATION = 0.55

#: Possible mean sizes: smaller uploads would have no records, most larger ones would be cut off.
SMALLEST_MEAN_KB, LARGEST_MEAN_KB = 4, 130

_MEASURED_ENCOUNTERS = (30, 120, 400, 1000, 2500)


@dataclass(frozen=True)
class Order:
    """What to simulate. Uploads alternate between the locales; `players` is the number of all locales together."""

    uploads: int
    seed: int
    locales: tuple[str, ...]
    version: int
    players: int
    mean_size_kb: float = 65.0
    malicious_share: float = 0.0
    mix: bool = False
    base64: bool = False


class SimulatedUpload(NamedTuple):
    """One upload as it is sent, with its player and counts."""

    file: str
    body: bytes
    locale: str
    version: int
    player: str
    malicious: bool
    positions: int
    lootings: int


def _mean_capped(middle: float) -> float:
    """Return the mean of sizes distributed around `middle` and cut at the addon's limit."""
    shares = [NormalDist().inv_cdf((step + 0.5) / 200) for step in range(200)]
    return float(np.minimum(middle * np.exp(SIZE_DEVIATION * np.array(shares)), ADDON_LIMIT_CHARACTERS).mean())


def _middle_for(mean_size: float) -> float:
    """Return the median of the sizes whose mean is `mean_size` characters, by bisection."""
    low, high = mean_size / 4, mean_size * 20
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean_capped(middle) < mean_size else (low, middle)
    return low


def _measure(world: World, odds: Chances, writer: Writer) -> Floats:
    """Return the mean sizes, in characters, of uploads with `_MEASURED_ENCOUNTERS` sightings."""
    sizes = []
    for encounters in _MEASURED_ENCOUNTERS:
        rngs = [np.random.default_rng([encounters, attempt, 3]) for attempt in range(24)]
        sizes.append(
            [len(writer.write(travel(world, odds, make_player(rng), rng, encounters), rng).text) for rng in rngs]
        )
    means: Floats = np.array(sizes).mean(axis=1)
    return means


def _player_number(rng: np.random.Generator, row: int, players: int) -> int:
    """Return the sender of a locale's upload `row`: first each player once, then active players more often."""
    return row if row < players else int(players * rng.random() ** 2)


def player_names(order: Order) -> dict[str, list[str]]:
    """Return the players of each locale; none plays in two."""
    locales = len(order.locales)
    return {
        locale: [names.player(number * locales + row) for number in range(max(1, order.players // locales))]
        for row, locale in enumerate(order.locales)
    }


def _wrapping(order: Order, rng: np.random.Generator) -> tuple[int, bool]:
    """Return version and whether to write Base64; a mix has some of each."""
    if not order.mix:
        return order.version, order.base64
    version = int(rng.choice([42, 43, 44], p=[0.12, 0.03, 0.85]))
    return version, order.base64 or bool(rng.random() < 0.3)


def simulate(world: World, order: Order) -> Iterator[SimulatedUpload]:
    """Yield the uploads of an order; the same order yields the same bytes.

    Upload `n` depends only on the seed and its own number, so that a longer order starts with the uploads of a shorter
    one with the same players.
    """
    odds = chances(world)
    versions = (42, 43, 44) if order.mix else (order.version,)
    writers = {(locale, version): Writer(world, locale, version) for locale in order.locales for version in versions}
    curves = {key: _measure(world, odds, writer) for key, writer in writers.items()}
    middle = _middle_for(order.mean_size_kb * 1000)
    everyone = player_names(order)
    players: dict[str, Player] = {
        name: make_player(np.random.default_rng([order.seed, 1, row, number]))
        for row, locale in enumerate(order.locales)
        for number, name in enumerate(everyone[locale])
    }
    for number in range(order.uploads):
        rng = np.random.default_rng([order.seed, 2, number])
        locale = order.locales[number % len(order.locales)]
        row = number // len(order.locales)
        name = everyone[locale][_player_number(rng, row, len(everyone[locale]))]
        version, wrapped = _wrapping(order, rng)
        malicious = bool(rng.random() < order.malicious_share)
        size = middle * np.exp(SIZE_DEVIATION * rng.standard_normal())
        curve = curves[locale, version]
        encounters = max(3, round(float(np.interp(size, curve, _MEASURED_ENCOUNTERS))))
        journey = travel(world, odds, players[name], rng, encounters, malicious=malicious)
        document = writers[locale, version].write(journey, rng)
        body = document.text.encode()
        yield SimulatedUpload(
            file=f"{locale}-v{version}-{row:05d}.{'b64' if wrapped else 'xml'}",
            body=base64.b64encode(body) if wrapped else body,
            locale=locale,
            version=version,
            player=name,
            malicious=malicious,
            positions=document.positions,
            lootings=document.lootings,
        )
