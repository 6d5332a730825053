"""Memory limited for some processes: what they hold, and what the kernel keeps of their files (cgroup's memory)."""

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
    """A group of processes whose memory can be limited and freed again; without a group nothing happens."""

    def __init__(self, group: Path | None) -> None:
        self._group = group

    def take(self, processes: Iterable[psutil.Process]) -> None:
        """Put processes and all they start from now on under the limit."""
        if self._group:
            cgroup.take(self._group, processes)

    def used_bytes(self) -> int:
        """Return what counts against the limit now, 0 without a group."""
        if self._group is None:
            return 0
        return int(next(path for name in _USED if (path := self._group / name).exists()).read_text())

    def free(self) -> None:
        """Let the processes use what they like."""
        if self._group:
            name = _limit_file(self._group)
            (self._group / name).write_text(_UNLIMITED[name])

    def set(self, size_bytes: int) -> None:
        """Limit the memory; the kernel gives up what it keeps of files beyond it."""
        wait_until(
            lambda: self._is_set(size_bytes), seconds=60, doing="Limiting the memory",
            advice="The processes hold more than that themselves; choose more rows (--rows).",
        )  # fmt: skip

    def _is_set(self, size_bytes: int) -> bool:
        if self._group is None:
            return True
        try:
            (self._group / _limit_file(self._group)).write_text(str(size_bytes))
        except OSError:  # busy: pages have to be written first
            return False
        return True


def why_not() -> str:
    """Return why the memory of processes can't be limited here, "" when it can."""
    if os.geteuid() != 0:
        return "that takes root"
    try:
        group = _make("try-memory")
    except OSError as error:
        return f"the kernel refuses a group for it ({error.strerror})"
    if group is None:
        return "this kernel offers no limit for memory (neither cgroup 1's nor cgroup 2's controller)"
    group.rmdir()
    return ""


@contextmanager
def limit(name: str) -> Iterator[Limit]:
    """Make a group, unlimited at first; where that can't be, one that limits nothing."""
    group = None if why_not() else _make(name)
    made = Limit(group)
    try:
        yield made
    finally:
        made.free()
        if group:
            wait_until(
                lambda: cgroup.dissolve(group), seconds=20, doing="Freeing processes from the memory's limit",
                advice=f"Move the processes in {group}/cgroup.procs to the group above and remove the folder.",
            )  # fmt: skip


def _make(purpose: str) -> Path | None:
    return cgroup.make(purpose, version_1="memory", version_2="memory")


def _limit_file(group: Path) -> str:
    return next(name for name in _UNLIMITED if (group / name).exists())
