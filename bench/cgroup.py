"""The kernel's control groups, of version 1 or 2: limits for some processes and all they start."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil

#: Where version 2 lies, and version 1 with a folder for each controller.
ROOT = Path("/sys/fs/cgroup")


def controllers() -> list[str]:
    """Return the controllers that version 2 offers here, none where version 1 rules."""
    path = ROOT / "cgroup.subtree_control"
    return path.read_text().split() if path.exists() else []


def make(purpose: str, *, version_1: str, version_2: str) -> Path | None:
    """Make a group with a controller, named as either version does; None where this kernel offers none.

    It is this process's own: another one may do the same at this moment, and remove its group at any.
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


def take(group: Path, processes: Iterable[psutil.Process]) -> None:
    """Put processes into a group; those that have ended meanwhile are passed over."""
    for process in processes:
        with suppress(ProcessLookupError):
            (group / "cgroup.procs").write_text(str(process.pid))


def dissolve(group: Path) -> bool:
    """Move a group's processes out and remove it; False while new ones come or dead ones linger."""
    for pid in (group / "cgroup.procs").read_text().split():
        with suppress(ProcessLookupError):
            (group.parent / "cgroup.procs").write_text(pid)
    try:
        group.rmdir()
    except OSError:
        return False
    return True
