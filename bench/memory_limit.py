"""Limit the memory of some processes: their own and the kernel's page cache of their files (cgroup memory)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench import cgroup
from deploy.steps.progress import wait_until

_UNLIMITED = {"memory.limit_in_bytes": "-1", "memory.max": "max"}
_USED = ("memory.usage_in_bytes", "memory.current")


class Limit:
    """A group of processes whose memory can be limited and released again; does nothing without a group."""

    def __init__(self, group: Path | None) -> None:
        self._group = group

    def add(self, processes: Iterable[psutil.Process]) -> None:
        """Put processes and their future children under the limit."""
        if self._group:
            cgroup.add(self._group, processes)

    def used_bytes(self) -> int:
        """Return the memory that counts against the limit now; 0 without a group."""
        if self._group is None:
            return 0
        return int(next(path for name in _USED if (path := self._group / name).exists()).read_text())

    def release(self) -> None:
        """Remove the limit."""
        if self._group:
            name = _limit_file(self._group)
            (self._group / name).write_text(_UNLIMITED[name])

    def set(self, size_bytes: int) -> None:
        """Limit the memory; the kernel evicts cached file pages beyond it."""
        wait_until(
            lambda: self._is_set(size_bytes), seconds=60, doing="Limiting the memory",
            advice="The processes themselves use more than that; choose more rows (--rows).",
        )  # fmt: skip

    def _is_set(self, size_bytes: int) -> bool:
        if self._group is None:
            return True
        try:
            (self._group / _limit_file(self._group)).write_text(str(size_bytes))
        except OSError:  # busy: dirty pages must be written first
            return False
        return True


def why_not() -> str:
    """Return why memory cannot be limited here, "" if it can."""
    if os.geteuid() != 0:
        return "it needs root"
    try:
        group = _make("try-memory")
    except OSError as error:
        return f"the kernel refuses to make a group ({error.strerror})"
    if group is None:
        return "this kernel has no memory controller, neither of cgroup 1 nor of cgroup 2"
    group.rmdir()
    return ""


@contextmanager
def limit(name: str) -> Iterator[Limit]:
    """Make a group without a limit yet; where that is impossible, yield a `Limit` that does nothing."""
    group = None if why_not() else _make(name)
    made = Limit(group)
    try:
        yield made
    finally:
        made.release()
        if group:
            wait_until(
                lambda: cgroup.remove(group), seconds=20, doing="Removing the memory limit",
                advice=f"Move the processes in {group}/cgroup.procs to the parent group and remove the folder.",
            )  # fmt: skip


def _make(purpose: str) -> Path | None:
    return cgroup.make(purpose, version_1="memory", version_2="memory")


def _limit_file(group: Path) -> str:
    return next(name for name in _UNLIMITED if (group / name).exists())
