"""Accuracy of the estimates, given the truth of a world: spawn points matched one to one, and drop rates.

A folder of uploads has `truth-LOCALE.json` (`zones`: name → creature → points, `drops`: creature → item → rate)
and `book-LOCALE.json` (each file's player) beside its files, as `python -m simulation` writes them. Files are
read by the independent count; the estimates are those of `maps.estimate`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from maps import coordinates
from maps.coordinates import Coordinates
from maps.estimate import rates, spawns
from maps.estimate.spawns import Estimate
from tests.independent import Counts

#: A point within this distance (percent) of a true one may be it.
MATCH_PCT = 1.0
#: True points closer than this count as one, at their middle.
MERGE_PCT = 0.6
#: Creatures with fewer spawn points in a zone are not judged.
LEAST_POINTS = 3
#: Nor are the rates of creatures with fewer lootings.
LEAST_LOOTINGS = 50

Where = tuple[str, str]  # creature, zone
Points = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Accuracy:
    """How well points were found: `f1` of matching one to one, and the median distance of the matched."""

    f1: float
    precision: float
    recall: float
    median_pct: float
    points: int


@dataclass(frozen=True)
class RateAccuracy:
    """How often 95 % intervals cover the true rates, and the mean absolute error: recorded rates and corrected ones."""

    rates: int
    raw_coverage: float
    raw_error: float
    coverage: float
    error: float


def truth(folder: Path, locale: str) -> dict[str, Any]:
    """Return the truth beside the uploads of a folder."""
    loaded: dict[str, Any] = json.loads((folder / f"truth-{locale}.json").read_text(encoding="utf-8"))
    return loaded


def uploads(folder: Path, locale: str, sender: str = "") -> list[tuple[str, bytes]]:
    """Return a folder's uploads with their players, those names with `sender` before them."""
    book = json.loads((folder / f"book-{locale}.json").read_text(encoding="utf-8"))
    return [(f"{sender}{entry['player']}", (folder / entry["file"]).read_bytes()) for entry in book]


def in_other_words(bodies: Iterable[tuple[str, bytes]], zones: Mapping[str, str]) -> list[tuple[str, bytes]]:
    """Return uploads with their zones' names replaced: malicious uploads of one locale for another."""
    found = []
    for sender, body in bodies:
        text = body.decode()
        for name, other in zones.items():
            text = text.replace(f'name="{name}"', f'name="{other}"')
        found.append((sender, text.encode()))
    return found


def merged_coordinates(counts: Counts) -> dict[Where, Coordinates]:
    """Return the merged coordinates outdoors, by creature and zone."""
    numbers: dict[str, int] = {}
    listed: dict[Where, list[tuple[int, int, list[int]]]] = {}
    for (creature, zone, floor, text), sightings in counts.sightings.items():
        if floor == 0:
            x, y = (float(part) for part in text.split("/"))
            senders = counts.uploaders[creature, zone, floor, text]
            who = [numbers.setdefault(sender, len(numbers)) for sender in senders]
            listed.setdefault((creature, zone), []).append((coordinates.pack(x, y), sightings, who))
    return {where: _coordinates(sorted(rows)) for where, rows in sorted(listed.items())}


def _coordinates(rows: Sequence[tuple[int, int, list[int]]]) -> Coordinates:
    days = np.zeros(len(rows), dtype=np.int64)
    return Coordinates(
        xy=np.array([xy for xy, _, _ in rows]),
        sightings=np.array([sightings for _, sightings, _ in rows]),
        uploaders=np.array([len(who) for _, _, who in rows]),
        first_seen=days,
        last_seen=days,
        seen_by=np.sort(np.array([xy << coordinates.UPLOADER_BITS | one for xy, _, who in rows for one in who])),
    )


def estimate(found: Mapping[Where, Coordinates]) -> dict[Where, Estimate]:
    """Return the spawn points of all creatures."""
    return dict(zip(found, spawns.estimate(found.values()), strict=True))


def accuracy(
    found: Mapping[Where, Estimate], true: Mapping[str, Any], judged: Callable[[str], bool] = lambda creature: True
) -> Accuracy:
    """Compare spawn points with the truth, over the creatures that are judged."""
    hits = expected = given = 0
    distances = []
    for zone, creatures in true["zones"].items():
        for creature, points in creatures.items():
            if len(points) < LEAST_POINTS or not judged(creature):
                continue
            wanted = merged(np.array(points))
            guess = found.get((creature, zone))
            guessed = np.column_stack([guess.x, guess.y]) if guess else np.zeros((0, 2))
            matched = match(wanted, guessed)
            hits, expected, given = hits + len(matched), expected + len(wanted), given + len(guessed)
            distances += matched
    return Accuracy(
        f1=2 * hits / (expected + given),
        precision=hits / max(given, 1),
        recall=hits / expected,
        median_pct=float(np.median(distances)),
        points=expected,
    )


def merged(points: Points) -> Points:
    """Return points, the closest two of them replaced by their middle until none are closer than `MERGE_PCT`."""
    weight = np.ones(len(points))
    while len(points) > 1:
        gap = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
        np.fill_diagonal(gap, np.inf)
        one, other = np.unravel_index(gap.argmin(), gap.shape)
        if gap[one, other] >= MERGE_PCT - 1e-9:
            break
        middle = np.average(points[[one, other]], axis=0, weights=weight[[one, other]])
        both = weight[one] + weight[other]
        points = np.vstack([np.delete(points, [one, other], axis=0), middle])
        weight = np.append(np.delete(weight, [one, other]), both)
    return points


def match(wanted: Points, guessed: Points) -> list[float]:
    """Return the distances of points matched one to one, the closest pair first; `MATCH_PCT` at most.

    Not always the largest matching there is: the figures are rather too low than too high.
    """
    gap = np.hypot(*(wanted[:, None] - guessed[None]).transpose(2, 0, 1))
    found: list[float] = []
    used: tuple[set[int], set[int]] = set(), set()
    for index in np.argsort(gap, axis=None):
        one, other = divmod(int(index), gap.shape[1])
        if gap[one, other] > MATCH_PCT:
            break
        if one not in used[0] and other not in used[1]:
            found.append(float(gap[one, other]))
            used[0].add(one)
            used[1].add(other)
    return found


def rate_accuracy(counts: Counts, true: Mapping[str, Any]) -> RateAccuracy:
    """Compare the drop rates of all that was found with the truth."""
    rows = []
    for creature, (lootings, money, drops) in _loot(counts).items():
        true_rates = true["drops"].get(creature)
        if lootings < LEAST_LOOTINGS or true_rates is None:
            continue
        correction = rates.corrected([*drops.values(), money], lootings)
        for number, (item, count) in enumerate(drops.items()):
            raw = rates.rate(count, lootings)
            corrected = correction.rates[number] if correction else raw
            rate = true_rates.get(item, 0.0)
            rows.append(
                [_covers(raw, rate), abs(raw["rate"] - rate), _covers(corrected, rate), abs(corrected["rate"] - rate)]
            )
    means = np.mean(rows, axis=0).tolist()
    return RateAccuracy(len(rows), *means)


def _covers(interval: rates.Rate, rate: float) -> bool:
    return interval["low"] <= rate <= interval["high"]


def _loot(counts: Counts) -> dict[str, tuple[int, int, dict[str, int]]]:
    """Return lootings, lootings with money and drops by item of every killed creature with an id."""
    found: dict[str, tuple[int, int, dict[str, int]]] = {}
    for (kind, target, *_), lootings in counts.lootings.items():
        if not kind and target[1:].isdigit():
            before, money, drops = found.get(target[1:], (0, 0, {}))
            found[target[1:]] = before + lootings, money, drops
    for (kind, target, *_, item), count in counts.drops.items():
        if not kind and target[1:].isdigit():
            drops = found[target[1:]][2]
            drops[str(item)] = drops.get(str(item), 0) + count
    for (kind, target, *_), count in counts.money_lootings.items():
        if not kind and target[1:].isdigit():
            lootings, money, drops = found[target[1:]]
            found[target[1:]] = lootings, money + count, drops
    return found
