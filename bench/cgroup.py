"""The kernel's control groups, of version 1 or 2: limits for some processes and all they start."""

from __future__ import annotations

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
