"""A disk made slower for some processes alone: the kernel's own throttle (blkio of cgroup 1, io of cgroup 2)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench import cgroup
from deploy.steps.progress import wait_until

#: What a single hard disk of the old days does: sequential megabytes, and synced writes a second.
WRITE_BYTES_PER_S, WRITES_PER_S = 40_000_000, 150


def why_not(folder: Path) -> str:
    """Return why the disk under a folder can't be slowed down here, "" when it can."""
    if os.geteuid() != 0:
        return "that takes root"
    try:
        group = _make("try-disk", folder)
    except OSError as error:
        return f"the kernel refuses to throttle this device ({error.strerror})"
    if group is None:
        return "this kernel offers no throttle for disks (neither cgroup 1's blkio nor cgroup 2's io)"
    group.rmdir()
    return ""


@contextmanager
def slowed(folder: Path, processes: Iterable[psutil.Process]) -> Iterator[None]:
    """Slow the disk under `folder` down for processes and all they start; at the end they are free again."""
    group = _make("disk", folder)
    assert group is not None, "why_not() was not asked"
    cgroup.take(group, processes)
    try:
        yield
    finally:
        wait_until(
            lambda: cgroup.dissolve(group), seconds=20, doing="Freeing PostgreSQL from the slow disk",
            advice=f"Move the processes in {group}/cgroup.procs to the group above and remove the folder.",
        )  # fmt: skip


def _make(purpose: str, folder: Path) -> Path | None:
    """Make the group with its limits; None where there is no such controller."""
    number = folder.stat().st_dev
    device = f"{os.major(number)}:{os.minor(number)}"
    group = cgroup.make(purpose, version_1="blkio", version_2="io")
    if group is None:
        return None
    limits = {"io.max": f"{device} wbps={WRITE_BYTES_PER_S} wiops={WRITES_PER_S}"}
    if group.parent != cgroup.ROOT:
        limits = {
            "blkio.throttle.write_bps_device": f"{device} {WRITE_BYTES_PER_S}",
            "blkio.throttle.write_iops_device": f"{device} {WRITES_PER_S}",
        }
    try:
        for name, text in limits.items():
            (group / name).write_text(f"{text}\n")
    except OSError:
        group.rmdir()
        raise
    return group
