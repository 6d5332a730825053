"""Values that are computed once and kept for a limited time, in each process for itself."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakSet

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_caches: WeakSet[TimeLimitedCache] = WeakSet()  # type: ignore[type-arg]


class _Entry(Generic[V]):
    """A value (unset until it is first computed) and when it expires, on the monotonic clock."""

    value: V

    def __init__(self) -> None:
        self.computing = Lock()
        self.expires_at = float("-inf")


class TimeLimitedCache(Generic[K, V]):
    """Thread-safe cache by key of values that expire; beyond `max_entries` the least recently used entry goes.

    The locmem cache of Django would pickle every value, and lets every thread compute an expired one at once.
    """

    def __init__(self, max_entries: int = 1_000) -> None:
        self.max_entries = max_entries
        self._entries: OrderedDict[K, _Entry[V]] = OrderedDict()
        self._lock = Lock()
        _caches.add(self)

    def get(self, key: K, compute: Callable[[], V], lifetime_s: float | Callable[[float], float]) -> V:
        """Return the value of `key`; call `compute` if there is none or it has expired, in one thread at a time.

        `lifetime_s` counts from the end of computing. As a function it gets how long computing took, in seconds.
        What `compute` raises is raised, and the next call computes again.
        """
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                entry = self._entries[key] = _Entry()
                while len(self._entries) > self.max_entries:
                    self._entries.popitem(last=False)
            self._entries.move_to_end(key)
        if time.monotonic() < entry.expires_at:
            return entry.value
        with entry.computing:
            started_at = time.monotonic()
            if started_at >= entry.expires_at:  # no other thread has computed it meanwhile
                entry.value = compute()
                now = time.monotonic()
                entry.expires_at = now + (lifetime_s(now - started_at) if callable(lifetime_s) else lifetime_s)
            return entry.value

    def keys(self) -> list[K]:
        """Return the keys, the least recently used first."""
        with self._lock:
            return list(self._entries)

    def clear(self) -> None:
        """Drop all values."""
        with self._lock:
            self._entries.clear()


def clear_all() -> None:
    """Drop the values of every cache in this process (tests)."""
    for cache in list(_caches):
        cache.clear()
