"""Values are computed once, kept for a limited time, and computed by one thread at a time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier

import pytest

from core import time_limited
from core.time_limited import TimeLimitedCache


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """The monotonic clock, standing still; tests set its only element."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_a_value_is_computed_again_once_it_has_expired(clock):
    cache: TimeLimitedCache[str, int] = TimeLimitedCache()
    numbers = count()
    assert cache.get("a", lambda: next(numbers), 5) == 0
    clock[0] += 4.9
    assert cache.get("a", lambda: next(numbers), 5) == 0
    clock[0] += 0.1
    assert cache.get("a", lambda: next(numbers), 5) == 1


def test_each_key_has_its_own_value(clock):
    cache: TimeLimitedCache[str, str] = TimeLimitedCache()
    assert cache.get("a", lambda: "first", 5) == "first"
    assert cache.get("b", lambda: "second", 5) == "second"
    assert cache.get("a", lambda: "third", 5) == "first"


def test_none_is_a_value(clock):
    cache: TimeLimitedCache[str, int | None] = TimeLimitedCache()
    assert cache.get("a", lambda: None, 5) is None
    assert cache.get("a", lambda: 1, 5) is None


def test_the_lifetime_may_depend_on_how_long_computing_took(clock):
    cache: TimeLimitedCache[str, int] = TimeLimitedCache()

    def compute() -> int:
        clock[0] += 2
        return 1

    cache.get("a", compute, lambda cost_s: 10 * cost_s)
    clock[0] += 19
    assert cache.get("a", lambda: 2, 1) == 1
    clock[0] += 1
    assert cache.get("a", lambda: 2, 1) == 2


def test_an_error_is_raised_and_not_kept(clock):
    cache: TimeLimitedCache[str, float] = TimeLimitedCache()
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 / 0, 5)
    assert cache.get("a", lambda: 1.0, 5) == 1.0


def test_threads_that_ask_at_once_share_one_computation():
    cache: TimeLimitedCache[str, int] = TimeLimitedCache()
    numbers, together = count(), Barrier(8)

    def compute() -> int:
        time.sleep(0.05)
        return next(numbers)

    def ask(_number: int) -> int:
        together.wait()
        return cache.get("a", compute, 60)

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(ask, range(8))) == [0] * 8


def test_the_least_recently_used_key_goes_first(clock):
    cache: TimeLimitedCache[str, str] = TimeLimitedCache(max_entries=2)
    for key in ("a", "b", "a", "c"):
        cache.get(key, lambda key=key: key, 5)
    assert cache.keys() == ["a", "c"]


def test_all_caches_are_cleared_at_once(clock):
    cache: TimeLimitedCache[str, int] = TimeLimitedCache()
    cache.get("a", lambda: 1, 5)
    time_limited.clear_all()
    assert cache.get("a", lambda: 2, 5) == 2
