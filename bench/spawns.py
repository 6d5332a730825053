"""`bench/run spawns`: accuracy of spawn points and drop rates against the truth, and speed of the estimate."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import machine, plot, results
from bench.results import Chart, Result, Target
from bench.servers import place
from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure, say, step
from maps.coordinates import Coordinates
from maps.estimate import spawns
from simulation.truth import truth as simulated_truth
from simulation.uploads import Order, simulate
from simulation.world import make_world
from tests import independent
from tests.maps.estimate import accuracy
from tests.maps.estimate.accuracy import Accuracy, Where

LOCALE = "deDE"
#: The seed of the world that is used without a sample.
WORLD = 3
MALICIOUS = 0.05
#: The size of a whole locale: habitats, and distinct coordinates.
LOCALE_PAIRS, LOCALE_COORDINATES = 54_000, 3_500_000
#: Side of the square that the picture shows of a zone, in percent of its map.
SHOWN_PCT = 24.0


@dataclass(frozen=True)
class World:
    """Honest and malicious uploads, and the truth."""

    name: str
    honest: list[tuple[str, bytes]]
    malicious: list[tuple[str, bytes]]
    truth: Mapping[str, Any]


def main(arguments: list[str]) -> int:
    """Measure and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="bench/run spawns",
        description=f"{__doc__} Uses the sample uploads if MOBMAP_SAMPLE_DIR names their folder or "
        "MOBMAP_SAMPLE_ARCHIVE their tar.gz, else a simulated world.",
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the uploads, and of a locale for speed")
    parser.add_argument("--runs", type=int, help="runs of the speed measurement (3; quick: 1)")
    options = parser.parse_args(arguments)
    with _world(options.quick) as world:
        return results.finish(measure(world, options.runs or (1 if options.quick else 3), options.quick), place(),
                              quick=options.quick)  # fmt: skip


def measure(world: World, runs: int, quick: bool) -> Result:
    """Measure accuracy without and with malicious uploads, and speed for a whole locale."""
    with step(f"Counting {len(world.honest):,} uploads of {world.name}"):
        counts = independent.count(world.honest)
        places = accuracy.merged_coordinates(counts)
    with step("Estimating spawn points"):
        found = accuracy.estimate(places)
        clean = accuracy.accuracy(found, world.truth)
    with step(f"The same with {len(world.malicious)} malicious uploads"):
        mixed_places = accuracy.merged_coordinates(independent.count([*world.honest, *world.malicious]))
        mixed = accuracy.accuracy(accuracy.estimate(mixed_places), world.truth)
    rates = accuracy.rate_accuracy(counts, world.truth)
    share = 0.1 if quick else 1.0
    with step("Estimating a whole locale" if not quick else "Estimating a tenth of a locale"):
        locale = _locale(places, share)
        times = [_timed(locale) for _ in range(runs)]
        seconds, busy_s = ([each / share for each in column] for column in zip(*times, strict=True))
    result = Result(
        "spawns",
        "Spawn points and drop rates against the truth",
        f"{world.name}, {len(world.honest):,} uploads, {clean.points:,} true points; speed: {len(locale):,} habitats,"
        f" {sum(len(each.xy) for each in locale):,} coordinates, one process",
        machine.facts(CHECKOUT),
        notes=[
            "Matched one to one within 1.0 percent of the zone's map, true points closer than 0.6 merged, creatures "
            "with 3 or more spawn points. Rates: of creatures with 50 or more lootings.",
            "docs/spawns.md describes the method and its limits.",
        ],
    )
    for name, seen in (("", clean), (f" with {MALICIOUS:.0%} malicious", mixed)):
        _add(result, name, seen)
    result.add("estimate of a whole locale", "s", seconds)
    result.add("estimate of a whole locale: processor time", "s", busy_s)
    result.add("recorded rates: share of 95 % intervals that contain the truth", "share", [rates.raw_coverage])
    result.add("recorded rates: mean absolute error", "", [rates.raw_error])
    result.add("corrected rates: share of 95 % intervals that contain the truth", "share", [rates.coverage])
    result.add("corrected rates: mean absolute error", "", [rates.error])
    result.targets += [
        Target("F1", clean.f1, least=0.94),
        Target("median error, percent of the map", clean.median_pct, most=0.10),
        Target("F1 lost to malicious uploads", max(clean.f1 - mixed.f1, 0.0), most=0.02),
        Target("estimate of a whole locale, s", results.Figure("", "", seconds).median, most=60),
        Target("share of corrected 95 % intervals that contain the truth", rates.coverage, least=0.93),
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
                for name, seen in (("honest", clean), (f"{MALICIOUS:.0%} malicious", mixed))
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


def _locale(places: Mapping[Where, Coordinates], share: float) -> list[Coordinates]:
    """Return as many habitats as a share of a locale has, by repeating those of the world."""
    found: list[Coordinates] = []
    coordinates = 0
    while len(found) < share * LOCALE_PAIRS and coordinates < share * LOCALE_COORDINATES:
        for each in places.values():
            found.append(each)
            coordinates += len(each.xy)
    return found


def _timed(places: list[Coordinates]) -> tuple[float, float]:
    """Return seconds and processor seconds of an estimate; they differ if the machine is busy."""
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
                "There are no sample uploads (MOBMAP_SAMPLE_DIR, MOBMAP_SAMPLE_ARCHIVE). A simulated world is used; "
                "it is easier. Its patrols are not spawn points: points found along them count as wrong."
            )
            yield _simulated(every)


def _sample(folder: Path, every: int) -> World:
    honest = accuracy.uploads(folder / "v44", LOCALE)[::every]
    truth, theirs = (accuracy.truth(folder / "v44", locale) for locale in (LOCALE, "enUS"))
    malicious = accuracy.uploads(folder / "malicious", "enUS", "malicious ")[: _malicious(len(honest))]
    names = dict(zip(theirs["zones"], truth["zones"], strict=True))
    return World("the sample uploads", honest, accuracy.in_other_words(malicious, names), truth)


def _simulated(every: int) -> World:
    world = make_world(WORLD)
    uploads = 600 // every

    def bodies(count: int, seed: int, malicious_share: float, sender: str) -> list[tuple[str, bytes]]:
        order = Order(
            uploads=count, seed=seed, locales=(LOCALE,), version=44, players=max(1, count // 3), mean_size_kb=65.0,
            malicious_share=malicious_share, mix=False, base64=False,
        )  # fmt: skip
        return [(f"{sender}{upload.player}", upload.body) for upload in simulate(world, order)]

    return World(
        "a simulated world",
        bodies(uploads, 1, 0.0, ""),
        bodies(_malicious(uploads), 2, 1.0, "malicious "),
        simulated_truth(world, LOCALE),
    )


def _malicious(honest: int) -> int:
    """Return the number of malicious uploads that makes their share `MALICIOUS` beside `honest` ones."""
    return max(1, round(honest * MALICIOUS / (1 - MALICIOUS)))


def _draw(world: World, places: Mapping[Where, Coordinates], found: Mapping[Where, spawns.Estimate]) -> None:
    """Draw the creature with the most coordinates in a zone: coordinates, true points and estimated ones."""
    creature, zone = max(
        (where for where in found if len(world.truth["zones"].get(where[1], {}).get(where[0], [])) >= 10),
        key=lambda where: len(places[where].xy),
    )
    here, estimate = places[creature, zone], found[creature, zone]
    svg = plot.draw_points(
        f"{world.truth['names'][creature]}, {zone}",
        [((xy >> 10) / 10, (xy & 1023) / 10) for xy in here.xy.tolist()],
        world.truth["zones"][zone][creature],
        list(zip(estimate.x.tolist(), estimate.y.tolist(), strict=True)),
        shown_pct=SHOWN_PCT,
    )
    path = place().var / "spawns.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(svg, encoding="utf-8")
    say(f"· A picture of one creature's spawn points: {path}")
