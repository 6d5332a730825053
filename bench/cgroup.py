"""Control groups of the kernel, version 1 or 2: limits for some processes and their children."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

#: Mount point of version 2; version 1 has a folder per controller here.
ROOT = Path("/sys/fs/cgroup")


def controllers() -> list[str]:
    """Return the controllers of version 2; none where version 1 is mounted."""
    path = ROOT / "cgroup.subtree_control"
    return path.read_text().split() if path.exists() else []


def make(purpose: str, *, version_1: str, version_2: str) -> Path | None:
    """Make a group with a controller (its name in each version); return None if the kernel has neither.

    The group's name holds this process's id: another process may make and remove its own group at the same time.
    """
    name = f"mobmap-bench-{purpose}-{os.getpid()}"
    if (ROOT / version_1 / "cgroup.procs").exists():
        group = ROOT / version_1 / name
    elif version_2 in controllers():
        group = ROOT / name
    else:
        return None
    group.mkdir(exist_ok=True)
    return group


def add(group: Path, processes: Iterable[psutil.Process]) -> None:
    """Put processes into a group; skip those that have ended."""
    for process in processes:
        with suppress(ProcessLookupError):
            (group / "cgroup.procs").write_text(str(process.pid))


def remove(group: Path) -> bool:
    """Move a group's processes out and remove it; return False if it still holds new or dead processes."""
    for pid in (group / "cgroup.procs").read_text().split():
        with suppress(ProcessLookupError):
            (group.parent / "cgroup.procs").write_text(pid)
    try:
        group.rmdir()
    except OSError:
        return False
    return True
