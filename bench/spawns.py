"""`bench/run spawns`: how near spawn points and drop rates come to the truth, and how fast they are estimated."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from bench import machine, results
from bench.results import Chart, Result, Target
from bench.servers import place
from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure, say, step
from maps.coordinates import Places
from maps.estimate import spawns
from simulation.truth import truth as simulated_truth
from simulation.uploads import Order, simulate
from simulation.world import make_world
from tests import independent
from tests.maps.estimate import accuracy
from tests.maps.estimate.accuracy import Accuracy, Where

LOCALE = "deDE"
#: The seed of the world that stands in for the sample.
WORLD = 3
MALICIOUS = 0.05
#: A whole locale: creatures in zones, and distinct coordinates in all.
LOCALE_PAIRS, LOCALE_COORDINATES = 54_000, 3_500_000
#: Side of the picture and of what it shows of a zone (percent).
PICTURE, SHOWN_PCT = 640, 24.0


@dataclass(frozen=True)
class World:
    """Honest and malicious uploads with the truth behind them."""

    name: str
    honest: list[tuple[str, bytes]]
    malicious: list[tuple[str, bytes]]
    truth: Mapping[str, Any]


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="bench/run spawns",
        description=f"{__doc__} The truth is that of the sample uploads: MOBMAP_SAMPLE_DIR names their folder, or "
        "MOBMAP_SAMPLE_ARCHIVE their tar.gz. Without them it is that of a simulated world.",
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the uploads, a tenth of a locale for speed")
    parser.add_argument("--runs", type=int, help="runs of the speed (3; quick: 1)")
    options = parser.parse_args(arguments)
    with _world(options.quick) as world:
        return results.finish(measure(world, options.runs or (1 if options.quick else 3), options.quick), place(),
                              quick=options.quick)  # fmt: skip


def measure(world: World, runs: int, quick: bool) -> Result:
    """Estimate all of a world, without and with malicious uploads, and a locale's worth of it for speed."""
    with step(f"Counting {len(world.honest):,} uploads of {world.name}"):
        counts = independent.count(world.honest)
        places = accuracy.places(counts)
    with step("Estimating spawn points"):
        found = accuracy.estimate(places)
        clean = accuracy.accuracy(found, world.truth)
    with step(f"The same with {len(world.malicious)} malicious uploads"):
        spoilt_places = accuracy.places(independent.count([*world.honest, *world.malicious]))
        spoilt = accuracy.accuracy(accuracy.estimate(spoilt_places), world.truth)
    rates = accuracy.rate_accuracy(counts, world.truth)
    share = 0.1 if quick else 1.0
    with step("Estimating a whole locale" if not quick else "Estimating a tenth of a locale"):
        locale = _locale(places, share)
        times = [_timed(locale) for _ in range(runs)]
        seconds, busy_s = ([each / share for each in column] for column in zip(*times, strict=True))
    result = Result(
        "spawns",
        "Spawn points and drop rates against the truth",
        f"{world.name}, {len(world.honest):,} uploads, {clean.points:,} true points; speed: {len(locale):,} pairs,"
        f" {sum(len(each.xy) for each in locale):,} coordinates, one process",
        machine.facts(CHECKOUT),
        notes=[
            "Matched one to one within 1.0 percent of the zone's map, true points closer than 0.6 merged, creatures "
            "with 3 or more spawn points. Rates: of creatures with 50 or more lootings.",
            "docs/spawns.md tells the method and its limits.",
        ],
    )
    for name, seen in (("", clean), (f" with {MALICIOUS:.0%} malicious", spoilt)):
        _add(result, name, seen)
    result.add("a whole locale", "s", seconds)
    result.add("a whole locale: processor time", "s", busy_s)
    result.add("recorded rates: 95 % intervals that cover the truth", "share", [rates.raw_coverage])
    result.add("recorded rates: mean absolute error", "", [rates.raw_error])
    result.add("corrected rates: 95 % intervals that cover the truth", "share", [rates.coverage])
    result.add("corrected rates: mean absolute error", "", [rates.error])
    result.targets += [
        Target("F1", clean.f1, least=0.94),
        Target("median error, percent of the map", clean.median_pct, most=0.10),
        Target("F1 lost to malicious uploads", max(clean.f1 - spoilt.f1, 0.0), most=0.02),
        Target("a whole locale, s", results.Figure("", "", seconds).median, most=60),
        Target("corrected rates covered", rates.coverage, least=0.93),
        Target("error of corrected rates", rates.error, most=0.021),
    ]
    result.charts.append(
        Chart(
            "bars",
            "Spawn points found",
            "",
            "share",
            [
                (name, [("F1", seen.f1), ("precision", seen.precision), ("recall", seen.recall)])
                for name, seen in (("honest", clean), (f"{MALICIOUS:.0%} malicious", spoilt))
            ],
        )
    )
    _draw(world, places, found)
    return result


def _add(result: Result, name: str, seen: Accuracy) -> None:
    result.add(f"F1{name}", "", [seen.f1])
    result.add(f"precision{name}", "", [seen.precision])
    result.add(f"recall{name}", "", [seen.recall])
    result.add(f"median error{name}", "% of the map", [seen.median_pct])


def _locale(places: Mapping[Where, Places], share: float) -> list[Places]:
    """Return pairs by the thousand: those of the world again and again, until pairs or coordinates suffice."""
    found: list[Places] = []
    coordinates = 0
    while len(found) < share * LOCALE_PAIRS and coordinates < share * LOCALE_COORDINATES:
        for each in places.values():
            found.append(each)
            coordinates += len(each.xy)
    return found


def _timed(places: list[Places]) -> tuple[float, float]:
    """Return the seconds that estimating takes, and those of the processor: other work makes them differ."""
    began, busy = time.perf_counter(), time.process_time()
    for _ in spawns.estimate(places):
        pass
    return time.perf_counter() - began, time.process_time() - busy


@contextmanager
def _world(quick: bool) -> Iterator[World]:
    every = 10 if quick else 1
    folder, archive = os.environ.get("MOBMAP_SAMPLE_DIR"), os.environ.get("MOBMAP_SAMPLE_ARCHIVE")
    with tempfile.TemporaryDirectory(prefix="mobmap-spawns-") as temporary:
        if folder:
            yield _sample(Path(folder), every)
        elif archive:
            if not Path(archive).is_file():
                raise Failure(f"MOBMAP_SAMPLE_ARCHIVE names {archive}, and there is no such file.")
            with step("Unpacking the sample uploads"):
                subprocess.run(["tar", "--extract", "--file", archive, "--directory", temporary], check=True)
            yield _sample(next(path.parent for path in Path(temporary).rglob("v44")), every)
        else:
            say(
                "There are no sample uploads (MOBMAP_SAMPLE_DIR, MOBMAP_SAMPLE_ARCHIVE): the truth is that of a "
                "simulated world, which is easier. Its patrols are no spawn points: what is found along them is wrong."
            )
            yield _simulated(every)


def _sample(folder: Path, every: int) -> World:
    honest = accuracy.uploads(folder / "v44", LOCALE)[::every]
    told, theirs = (accuracy.truth(folder / "v44", locale) for locale in (LOCALE, "enUS"))
    vandals = accuracy.uploads(folder / "malicious", "enUS", "vandal ")[: _malicious(len(honest))]
    names = dict(zip(theirs["zones"], told["zones"], strict=True))
    return World("the sample uploads", honest, accuracy.in_other_words(vandals, names), told)


def _simulated(every: int) -> World:
    world = make_world(WORLD)
    uploads = 600 // every

    def bodies(count: int, seed: int, malicious: float, sender: str) -> list[tuple[str, bytes]]:
        order = Order(
            uploads=count, seed=seed, locales=(LOCALE,), version=44, players=max(1, count // 3), mean_size_kb=65.0,
            malicious_share=malicious, mix=False, base64=False,
        )  # fmt: skip
        return [(f"{sender}{upload.player}", upload.body) for upload in simulate(world, order)]

    return World(
        "a simulated world",
        bodies(uploads, 1, 0.0, ""),
        bodies(_malicious(uploads), 2, 1.0, "vandal "),
        simulated_truth(world, LOCALE),
    )


def _malicious(honest: int) -> int:
    """Return how many uploads are `MALICIOUS` of all, together with so many honest ones."""
    return max(1, round(honest * MALICIOUS / (1 - MALICIOUS)))


def _draw(world: World, places: Mapping[Where, Places], found: Mapping[Where, spawns.Estimate]) -> None:
    """Draw the camp that was hardest to see through: coordinates, true points and estimated ones."""
    creature, zone = max(
        (where for where in found if len(world.truth["zones"].get(where[1], {}).get(where[0], [])) >= 10),
        key=lambda where: len(places[where].xy),
    )
    true = world.truth["zones"][zone][creature]
    left, top = (sorted(axis)[len(true) // 2] - SHOWN_PCT / 2 for axis in zip(*true, strict=True))
    scale = PICTURE / SHOWN_PCT

    def circles(points: Any, look: str, radius: float) -> str:
        return "".join(
            f'<circle cx="{(x - left) * scale:.1f}" cy="{(y - top) * scale:.1f}" r="{radius}" {look}/>\n'
            for x, y in points
            if left < x < left + SHOWN_PCT and top < y < top + SHOWN_PCT
        )

    here, guess = places[creature, zone], found[creature, zone]
    raw = [((xy >> 10) / 10, (xy & 1023) / 10) for xy in here.xy.tolist()]
    title = f"{world.truth['names'][creature]}, {zone}: coordinates (dots), true (rings) and estimated (crosses)"
    crosses = "".join(
        f'<path d="M{(x - left) * scale - 5:.1f} {(y - top) * scale:.1f}h10m-5 -5v10"'
        ' stroke="#d9772b" stroke-width="2"/>\n'
        for x, y in zip(guess.x.tolist(), guess.y.tolist(), strict=True)
        if left < x < left + SHOWN_PCT and top < y < top + SHOWN_PCT
    )
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PICTURE} {PICTURE + 24}" role="img"'
        f' font-family="sans-serif" font-size="12">\n<title>{escape(title)}</title>\n'
        f'<text x="8" y="{PICTURE + 16}" fill="#808890">{escape(title)}</text>\n'
        + circles(raw, 'fill="#2f6fdb" fill-opacity=".35"', 2)
        + circles(true, 'fill="none" stroke="#2b9a66" stroke-width="1.5"', 9)
        + crosses
        + "</svg>\n"
    )
    path = place().var / "spawns.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(picture, encoding="utf-8")
    say(f"· A picture of one camp: {path}")
