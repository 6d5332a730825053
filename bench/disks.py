"""Small file systems that a benchmark fills, visible only to its own processes."""

from __future__ import annotations

import ctypes
import errno
import os
import subprocess
from pathlib import Path

from deploy.steps.folders import RAM_DISK
from deploy.steps.progress import Failure, run

_CLONE_NEWNS = 0x00020000
_BALLAST = "ballast"


def unshare_mounts() -> str:
    """Give this process and its children a mount namespace of their own; return why not, or "".

    Later mounts are visible only to them, and the kernel unmounts them with the last process.
    """
    if os.geteuid() != 0:
        return "mounting needs root"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNS) != 0:
        return f"unshare: {os.strerror(ctypes.get_errno())}"
    done = subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, text=True, check=False)
    return done.stderr.strip()


def mount_image(folder: Path, image: Path, size_mb: int) -> str:
    """Mount a new ext4 file system in a file on `folder`; return why not, or ""."""
    folder.mkdir(parents=True, exist_ok=True)
    image.unlink(missing_ok=True)
    with image.open("wb") as file:
        file.truncate(size_mb << 20)
    try:
        # No blocks reserved for root: the disk must be equally full for every process.
        run(["mkfs.ext4", "-q", "-m", "0", image], doing="Making a small file system")
        run(["mount", "-o", "loop", image, folder], doing="Mounting a small file system")
    except (Failure, OSError) as error:
        return str(error)
    (folder / "lost+found").rmdir()
    return ""


def mount_ram_disk(size_mb: int) -> str:
    """Mount a small RAM disk over the machine's; return why not, or ""."""
    try:
        run(["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "none", RAM_DISK], doing="Mounting a small RAM disk")
    except Failure as failure:
        return str(failure)
    return ""


def fill(folder: Path) -> None:
    """Use up all free space of a file system; call it again to use up what became free."""
    descriptor = os.open(folder / _BALLAST, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        size = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        end = os.fstat(descriptor).st_size
        while size >= 4096:
            try:
                os.posix_fallocate(descriptor, end, size)
                end += size
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                size //= 2
    finally:
        os.close(descriptor)


def free(folder: Path) -> None:
    """Free the space that `fill` used up."""
    (folder / _BALLAST).unlink(missing_ok=True)
