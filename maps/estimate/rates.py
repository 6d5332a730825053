"""Drop rates with confidence intervals, and their correction for empty lootings. Pure: counts in, rates out."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple, TypedDict

import numpy as np

#: The standard normal's quantile for a two-sided 95 % interval.
Z_95 = 1.959963984540054

#: Four digits resolve 1 in 10,000; more would claim a precision that no loot table has.
DIGITS = 4


class Rate(TypedDict):
    """A share and its 95 % interval, each between 0 and 1."""

    rate: float
    low: float
    high: float


class Correction(NamedTuple):
    """Estimated rates among all lootings, those that gave nothing included.

    `empty` is the share of all lootings that gave nothing; `rates` are in the order of the hits.
    """

    empty: float
    rates: list[Rate]


#: Fewer lootings say too little about how often slots occur together to estimate how often none does.
MIN_LOOTINGS = 20
#: If the relative standard error of the recorded share is larger than this, nothing is corrected.
MAX_RELATIVE_ERROR = 0.5


def wilson(hits: float, trials: float) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of `hits` out of `trials`.

    Unlike the normal approximation it stays within 0…1 and is valid for few trials.
    Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    Both numbers may be fractions: an estimate with the variance of that many trials.
    For example `wilson(5, 10)` is about `(0.2366, 0.7634)`. Without trials the interval is `(0.0, 1.0)`.
    """
    if trials <= 0:
        return 0.0, 1.0
    share = hits / trials
    z2_per_trial = Z_95 * Z_95 / trials
    center = (share + z2_per_trial / 2) / (1 + z2_per_trial)
    margin = Z_95 * sqrt((share * (1 - share) + z2_per_trial / 4) / trials) / (1 + z2_per_trial)
    return max(0.0, center - margin), min(1.0, center + margin)


def rate(hits: int, trials: int) -> Rate:
    """Return `hits` / `trials` with its Wilson interval, rounded to `DIGITS`: `{"rate": 0.5, "low": 0.2366, …}`."""
    return _rounded(hits / trials if trials > 0 else 0.0, *wilson(hits, trials))


def _rounded(share: float, low: float, high: float) -> Rate:
    return {"rate": round(share, DIGITS), "low": round(low, DIGITS), "high": round(high, DIGITS)}


def corrected(hits: Sequence[int], lootings: int) -> Correction | None:
    """Return the rates of a loot table's slots, corrected for empty lootings, which are never recorded.

    `hits` counts the recorded lootings that held each slot (every item, and money). All slots are needed, because
    the share f of lootings that are recorded follows from them: with independent slots of true rates p = f·q
    (q is the rate among recorded lootings), f = 1 - Π(1 - f·q). These p are the maximum likelihood estimates of
    the zero-truncated product of Bernoulli variables. Their variance is that of the delta method, and the interval
    is Wilson's for the number of trials that gives this variance.

    Return None if f can't be estimated: too few lootings, slots that never occur together (a single slot per
    looting looks the same however many lootings were empty), or a standard error that is too large.
    For example `corrected([60, 60], 80)` has `empty` 0.1111 and two rates of 0.6667.
    """
    if lootings < MIN_LOOTINGS or not hits:
        return None
    raw = np.minimum(np.array(hits, dtype=np.float64) / lootings, 1.0)
    if raw.sum() <= 1 + 1e-9:
        return None
    recorded = _recorded_share(raw)
    share = recorded * raw
    # Derivative of the recorded share with respect to each raw rate: d ln f / d q_i = slope_i / stiffness.
    slope = (1 - recorded) / np.maximum(1 - share, 1e-12)
    stiffness = 1 - float(slope @ raw)
    # The covariance of raw rates: q_i·(1 - q_i) on the diagonal, -q_i·q_j·(1 - f) elsewhere.
    along = slope * raw * (1 - raw) - raw * (1 - recorded) * (slope @ raw - slope * raw)
    share_variance = max(float(slope @ along), 0.0)
    if stiffness <= 0 or sqrt(share_variance / lootings) / stiffness > MAX_RELATIVE_ERROR:
        return None
    scale = recorded**2 / lootings
    variance = scale * (raw * (1 - raw) + 2 * raw * along / stiffness + (raw / stiffness) ** 2 * share_variance)
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
