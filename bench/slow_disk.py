"""Throttle the disk for some processes only (blkio of cgroup 1, io of cgroup 2)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench import cgroup
from deploy.steps.progress import wait_until

#: About what one hard disk reaches: sequential bytes and synced writes per second.
WRITE_BYTES_PER_S, WRITES_PER_S = 40_000_000, 150


def why_not(folder: Path) -> str:
    """Return why the disk under a folder cannot be throttled here, "" if it can."""
    if os.geteuid() != 0:
        return "it needs root"
    try:
        group = _make("try-disk", folder)
    except OSError as error:
        return f"the kernel refuses to throttle this device ({error.strerror})"
    if group is None:
        return "this kernel cannot throttle disks: it has neither cgroup 1's blkio nor cgroup 2's io controller"
    group.rmdir()
    return ""


@contextmanager
def slowed(folder: Path, processes: Iterable[psutil.Process]) -> Iterator[None]:
    """Throttle the disk under `folder` for processes and their children until the block ends."""
    group = _make("disk", folder)
    assert group is not None, "call why_not() first"
    cgroup.add(group, processes)
    try:
        yield
    finally:
        wait_until(
            lambda: cgroup.remove(group), seconds=20, doing="Removing the throttle of PostgreSQL's disk",
            advice=f"Move the processes in {group}/cgroup.procs to the parent group and remove the folder.",
        )  # fmt: skip


def _make(purpose: str, folder: Path) -> Path | None:
    """Make the group with its limits; return None if the kernel has no such controller."""
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
