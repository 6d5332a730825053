from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maps import rates


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


def test_more_lootings_make_the_same_rate_surer() -> None:
    few, many = rates.rate(1, 2), rates.rate(100, 200)
    assert few["rate"] == many["rate"] == 0.5
    assert few["low"] < many["low"] and many["high"] < few["high"]
