"""Drop rates and how far they can be trusted. Pure: counts in, rates out."""

from __future__ import annotations

from math import sqrt
from typing import TypedDict

#: The standard normal's quantile for a two-sided 95 % interval.
Z_95 = 1.959963984540054

#: Four digits tell 1 in 10,000 apart; more would claim a precision that no table of drops has.
DIGITS = 4


class Rate(TypedDict):
    """A share and its 95 % interval, each between 0 and 1."""

    rate: float
    low: float
    high: float


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of `hits` out of `trials`.

    Unlike the normal approximation it stays within 0…1 and means something for a handful of trials.
    Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
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
    low, high = wilson(hits, trials)
    return {
        "rate": round(hits / trials, DIGITS) if trials > 0 else 0.0,
        "low": round(low, DIGITS),
        "high": round(high, DIGITS),
    }
