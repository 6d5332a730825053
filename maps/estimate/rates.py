"""Drop rates and how far they can be trusted. Pure: counts in, rates out."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple, TypedDict

import numpy as np

#: The standard normal's quantile for a two-sided 95 % interval.
Z_95 = 1.959963984540054

#: Four digits tell 1 in 10,000 apart; more would claim a precision that no table of drops has.
DIGITS = 4


class Rate(TypedDict):
    """A share and its 95 % interval, each between 0 and 1."""

    rate: float
    low: float
    high: float


class Correction(NamedTuple):
    """Rates as they would be if empty lootings were recorded: an estimate.

    `empty` is the share of all lootings that gave nothing; `rates` are in the order of the hits.
    """

    empty: float
    rates: list[Rate]


#: Fewer lootings say too little about how slots fall together to tell how often none does.
LEAST_LOOTINGS = 20
#: A recorded share known no better than this (standard error over value) corrects nothing.
MOST_RELATIVE_ERROR = 0.5


def wilson(hits: float, trials: float) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of `hits` out of `trials`.

    Unlike the normal approximation it stays within 0…1 and means something for a handful of trials.
    Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    Both may be fractions: an estimate that is worth so many trials.
    For example `wilson(5, 10)` is about `(0.2366, 0.7634)`. Without trials nothing is known: `(0.0, 1.0)`.
    """
    if trials <= 0:
        return 0.0, 1.0
    share = hits / trials
    spread = Z_95 * Z_95 / trials
    centre = (share + spread / 2) / (1 + spread)
    margin = Z_95 * sqrt((share * (1 - share) + spread / 4) / trials) / (1 + spread)
    return max(0.0, centre - margin), min(1.0, centre + margin)


def rate(hits: int, trials: int) -> Rate:
    """Return `hits` / `trials` with its Wilson interval, rounded for people: `{"rate": 0.5, "low": 0.2366, …}`."""
    return _rounded(hits / trials if trials > 0 else 0.0, *wilson(hits, trials))


def _rounded(share: float, low: float, high: float) -> Rate:
    return {"rate": round(share, DIGITS), "low": round(low, DIGITS), "high": round(high, DIGITS)}


def corrected(hits: Sequence[int], lootings: int) -> Correction | None:
    """Return the rates of a loot table's slots, corrected for the empty lootings that are never recorded.

    `hits` counts the recorded lootings that held each slot (every item, and money); all slots are needed,
    as the share f of lootings that are recorded follows from them: with independent slots of true rates
    p = f·q (q is the rate among recorded ones), f = 1 - Π(1 - f·q). These p are the maximum likelihood
    estimates of the zero-truncated product of Bernoulli variables; their variance is by the delta
    method, and the interval Wilson's for as many trials as give that variance.

    None where it can't be told: few lootings, slots that never fall together (one thing per looting looks
    the same however many were empty), or a share known too badly.
    For example `corrected([60, 60], 80)` has `empty` 0.1111 and two rates of 0.6667.
    """
    if lootings < LEAST_LOOTINGS or not hits:
        return None
    raw = np.minimum(np.array(hits, dtype=np.float64) / lootings, 1.0)
    if raw.sum() <= 1 + 1e-9:
        return None
    recorded = _recorded_share(raw)
    share = recorded * raw
    # How the recorded share moves with each raw rate: d ln f / d q_i = slope_i / stiffness.
    slope = (1 - recorded) / np.maximum(1 - share, 1e-12)
    stiffness = 1 - float(slope @ raw)
    # The covariance of raw rates: q_i·(1 - q_i) on the diagonal, -q_i·q_j·(1 - f) elsewhere.
    along = slope * raw * (1 - raw) - raw * (1 - recorded) * (slope @ raw - slope * raw)
    spread = max(float(slope @ along), 0.0)
    if stiffness <= 0 or sqrt(spread / lootings) / stiffness > MOST_RELATIVE_ERROR:
        return None
    scale = recorded**2 / lootings
    variance = scale * (raw * (1 - raw) + 2 * raw * along / stiffness + (raw / stiffness) ** 2 * spread)
    rates = [_with_interval(*each, lootings) for each in zip(share.tolist(), variance.tolist(), strict=True)]
    return Correction(round(1 - recorded, DIGITS), rates)


def _recorded_share(raw: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """Return the root between 0 and 1 of f = 1 - Π(1 - f·q), by bisection; the rates must add up to more than 1."""
    low, high = 0.0, 1.0
    for _ in range(52):
        middle = (low + high) / 2
        if 1 - np.prod(1 - middle * raw) > middle:
            low = middle
        else:
            high = middle
    return high


def _with_interval(share: float, variance: float, lootings: int) -> Rate:
    trials = share * (1 - share) / variance if variance > 0 and share < 1 else lootings
    low, high = wilson(share * trials, trials)
    return _rounded(share, min(low, share), max(high, share))
