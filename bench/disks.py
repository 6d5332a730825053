"""Small file systems to fill up, seen by a benchmark's own processes alone."""

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


def own_mounts() -> str:
    """Give this process and all it starts mounts of their own; return why not, or "" when it worked.

    What is mounted afterwards nobody else sees, and the kernel takes it away with the last process.
    """
    if os.geteuid() != 0:
        return "mounting takes root"
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
        # Nothing is kept back for root: it must find the disk as full as everybody else.
        run(["mkfs.ext4", "-q", "-m", "0", image], doing="Making a small file system")
        run(["mount", "-o", "loop", image, folder], doing="Mounting a small file system")
    except (Failure, OSError) as error:
        return str(error)
    (folder / "lost+found").rmdir()
    return ""


def mount_ram_disk(size_mb: int) -> str:
    """Put a small RAM disk in the place of the machine's; return why not, or ""."""
    try:
        run(["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "none", RAM_DISK], doing="Mounting a small RAM disk")
    except Failure as failure:
        return str(failure)
    return ""


def fill(folder: Path) -> None:
    """Take all the space that is free in a file system, again and again if called so."""
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


def relieve(folder: Path) -> None:
    """Give the space back."""
    (folder / _BALLAST).unlink(missing_ok=True)
