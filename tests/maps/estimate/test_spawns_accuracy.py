"""Accuracy against the truth: of the sample uploads, where they are available, and of a simulated world."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from maps.estimate.spawns import Estimate
from simulation.truth import truth as simulated_truth
from simulation.uploads import Order, simulate
from simulation.world import make_world
from tests import independent
from tests.independent import Counts
from tests.maps.estimate import accuracy

LOCALE = "deDE"


@pytest.fixture(scope="module")
def sample() -> Path:
    folder = os.environ.get("MOBMAP_SAMPLE_DIR")
    if not folder:
        pytest.skip("MOBMAP_SAMPLE_DIR does not name the folder of the sample uploads")
    return Path(folder)


@pytest.fixture(scope="module")
def counted(sample: Path) -> Counts:
    return independent.count(accuracy.uploads(sample / "v44", LOCALE))


@pytest.fixture(scope="module")
def found(counted: Counts) -> dict[accuracy.Where, Estimate]:
    return accuracy.estimate(accuracy.merged_coordinates(counted))


@pytest.mark.sample
def test_the_spawn_points_of_the_sample_are_found(sample: Path, found: dict[accuracy.Where, Estimate]):
    truth = accuracy.truth(sample / "v44", LOCALE)
    seen = accuracy.accuracy(found, truth)
    assert seen.points > 20_000
    assert seen.f1 >= 0.955
    assert seen.median_pct <= 0.08
    for odd in (0, 1):  # either half of the creatures: nothing was fitted to one of them
        assert accuracy.accuracy(found, truth, lambda creature, odd=odd: int(creature) % 2 == odd).f1 >= 0.95


@pytest.mark.sample
def test_malicious_uploads_hardly_lower_the_accuracy(sample: Path, found: dict[accuracy.Where, Estimate]):
    honest = accuracy.uploads(sample / "v44", LOCALE)
    true, theirs = (accuracy.truth(sample / "v44", locale) for locale in (LOCALE, "enUS"))
    malicious = accuracy.uploads(sample / "malicious", "enUS", "malicious ")[: round(len(honest) * 0.05 / 0.95)]
    malicious = accuracy.in_other_words(malicious, dict(zip(theirs["zones"], true["zones"], strict=True)))
    clean = accuracy.accuracy(found, true).f1
    counts = independent.count([*honest, *malicious])
    mixed = accuracy.accuracy(accuracy.estimate(accuracy.merged_coordinates(counts)), true).f1
    assert mixed >= clean - 0.01


@pytest.mark.sample
def test_intervals_cover_the_drop_rates_of_the_sample(sample: Path, counted: Counts):
    seen = accuracy.rate_accuracy(counted, accuracy.truth(sample / "v44", LOCALE))
    assert seen.rates > 4_000
    assert seen.coverage >= 0.93 > seen.raw_coverage
    assert seen.error <= 0.021 < seen.raw_error


@pytest.mark.parametrize("malicious", [0.0, 0.05])
def test_the_spawn_points_of_a_simulated_world_are_found(malicious: float):
    world = make_world(5)
    order = Order(
        uploads=150, seed=5, locales=(LOCALE,), version=44, players=50, mean_size_kb=65.0,
        malicious_share=malicious, mix=False, base64=False,
    )  # fmt: skip
    counts = independent.count((upload.player, upload.body) for upload in simulate(world, order))
    seen = accuracy.accuracy(accuracy.estimate(accuracy.merged_coordinates(counts)), simulated_truth(world, LOCALE))
    assert seen.recall >= 0.98
    assert seen.f1 >= 0.95
    assert seen.median_pct <= 0.06


def test_points_are_matched_one_to_one_the_closest_first():
    here = np.array([(10.0, 10.0), (10.9, 10.0), (50.0, 50.0)])
    assert accuracy.match(here, np.array([(10.1, 10.0), (10.2, 10.0), (51.5, 50.0)])) == pytest.approx([0.1, 0.7])


def test_true_points_that_are_too_close_count_once():
    assert accuracy.merged(np.array([(1.0, 1.0), (1.5, 1.0), (9.0, 9.0)])).tolist() == [[9, 9], [1.25, 1]]
