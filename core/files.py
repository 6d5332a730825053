"""Files that are written whole or not at all, and that survive a loss of power."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


def write_atomically(path: Path, chunks: Iterable[bytes], *, mode: int) -> None:
    """Write a file in place of an earlier one; durable once this returns. Raises `OSError`.

    Readers see the old or the new content, never a part. The folder must exist.
    """
    written = write_beside(path, chunks, mode=mode)
    try:
        sync(written)
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
    sync(path.parent)


def write_beside(path: Path, chunks: Iterable[bytes], *, mode: int) -> Path:
    """Write a temporary file into the folder of `path`, neither synced nor renamed; return its path.

    Its name begins with a dot and ends in `.new`. After an error it is deleted.
    """
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", suffix=".new", delete=False) as file:
        try:
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fchmod(file.fileno(), mode)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    return Path(file.name)


def make_folders(folder: Path, *, mode: int) -> list[Path]:
    """Create a folder and those above it; return the folders that got a new entry, to be passed to `sync`."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        with suppress(FileExistsError):  # another process made it just now
            path.mkdir(mode=mode)
    return [path.parent for path in missing]


def sync(path: Path) -> None:
    """Return once a file's content, or a folder's entries, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
