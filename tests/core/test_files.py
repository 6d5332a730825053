"""A file is there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from core import files


def test_a_file_is_replaced_with_its_mode(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    files.write_atomically(path, [b"new ", b"content"], mode=0o640)
    assert path.read_bytes() == b"new content"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_the_content_is_synced_before_the_rename_and_the_folder_after_it(tmp_path: Path, monkeypatch):
    path, synced = tmp_path / "file", []

    def fsync(descriptor: int) -> None:
        target = Path(f"/proc/self/fd/{descriptor}").readlink()
        synced.append((target == tmp_path, path.exists()))

    monkeypatch.setattr(os, "fsync", fsync)
    files.write_atomically(path, [b"x"], mode=0o600)
    assert synced == [(False, False), (True, True)]


@pytest.mark.parametrize("fails_at", ["content", "sync"])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch, fails_at: str):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(descriptor: int = 0) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def chunks() -> Iterator[bytes]:
        yield b"new"
        if fails_at == "content":
            full()

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        files.write_atomically(path, chunks(), mode=0o600)
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_folders_are_created_and_those_with_a_new_entry_are_returned(tmp_path: Path):
    assert files.make_folders(tmp_path / "a" / "b", mode=0o750) == [tmp_path / "a", tmp_path]
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o750
    assert files.make_folders(tmp_path / "a" / "b", mode=0o750) == []
