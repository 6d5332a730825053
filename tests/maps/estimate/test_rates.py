"""Wilson intervals, and the correction for empty lootings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maps.estimate import rates


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    # Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_the_published_one(hits: int, trials: int, low: float, high: float) -> None:
    assert rates.wilson(hits, trials) == pytest.approx((low, high), abs=0.00006)


@given(st.integers(0, 10**9).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_the_interval_holds_the_rate_and_stays_within_0_and_1(counts: tuple[int, int]) -> None:
    found = rates.rate(*counts)
    assert 0 <= found["low"] <= found["rate"] <= found["high"] <= 1 or counts[1] == 0


def test_without_lootings_nothing_is_known() -> None:
    assert rates.rate(0, 0) == {"rate": 0.0, "low": 0.0, "high": 1.0}


def test_more_lootings_narrow_the_interval_of_a_rate() -> None:
    few, many = rates.rate(1, 2), rates.rate(100, 200)
    assert few["rate"] == many["rate"] == 0.5
    assert few["low"] < many["low"] and many["high"] < few["high"]


def looted(truth: list[float], kills: int, seed: int) -> tuple[list[int], int]:
    """Return the recorded lootings with each slot, and all recorded lootings, of a creature with these true rates."""
    slots = np.random.default_rng(seed).random((kills, len(truth))) < truth
    recorded = slots[slots.any(axis=1)]
    return recorded.sum(axis=0).tolist(), len(recorded)


@given(st.lists(st.floats(0.05, 0.9), min_size=2, max_size=8))
def test_the_correction_returns_the_true_rates(truth: list[float]) -> None:
    recorded = 1 - np.prod(1 - np.array(truth))
    lootings = 10**9
    found = rates.corrected([round(share / recorded * lootings) for share in truth], lootings)
    assert found is not None
    assert found.empty == pytest.approx(1 - recorded, abs=0.0002)
    assert [each["rate"] for each in found.rates] == pytest.approx(truth, abs=0.0002)


def test_95_percent_of_the_intervals_cover_the_truth() -> None:
    truth = [0.5, 0.3, 0.12, 0.03]
    covered = raw_covered = total = 0
    for seed in range(400):
        hits, lootings = looted(truth, 150, seed)
        found = rates.corrected(hits, lootings)
        assert found is not None
        for share, hit, each in zip(truth, hits, found.rates, strict=True):
            total += 1
            covered += each["low"] <= share <= each["high"]
            low, high = rates.wilson(hit, lootings)
            raw_covered += low <= share <= high
    assert covered / total > 0.93
    assert raw_covered / total < 0.75


@given(st.integers(0, 500).flatmap(lambda n: st.tuples(st.lists(st.integers(0, n), max_size=8), st.just(n))))
def test_a_correction_never_makes_a_rate_higher_and_stays_within_0_and_1(table: tuple[list[int], int]) -> None:
    hits, lootings = table
    found = rates.corrected(hits, lootings)
    if found is not None:
        assert 0 <= found.empty < 1
        for hit, each in zip(hits, found.rates, strict=True):
            assert 0 <= each["low"] <= each["rate"] <= each["high"] <= 1
            assert each["rate"] <= hit / lootings + 0.0001


@pytest.mark.parametrize(
    ("hits", "lootings", "why"),
    [
        ([1000], 1000, "one slot in every looting"),
        ([400, 600], 1000, "slots that never occur together"),
        ([10, 10], 15, "few lootings"),
        ([30, 34], 63, "rates whose sum may exceed 1 by chance"),
        ([], 100, "nothing found"),
    ],
)
def test_without_evidence_of_empty_lootings_nothing_is_corrected(hits: list[int], lootings: int, why: str) -> None:
    assert rates.corrected(hits, lootings) is None, why


def test_a_slot_that_always_occurs_means_that_no_looting_is_empty() -> None:
    found = rates.corrected([100, 30], 100)
    assert found is not None
    assert found.empty == 0
    assert found.rates[1] == rates.rate(30, 100)
