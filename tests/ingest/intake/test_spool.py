"""Documents on disk: whole or not at all, and there before anything else relies on them."""

from __future__ import annotations

import errno
import os
import resource
import stat
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import zstandard

from ingest.intake import spool

NAME = "3f/3f00.xml.zst"
XML = b"<MobMapData/>" * 50_000


def put(content: bytes = XML, name: str = NAME) -> None:
    spool.put(spool.spool(), name, BytesIO(content))


def read(storage, name: str = NAME) -> bytes:
    with spool.opened(storage, name) as document:
        return document.read()


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def calls(monkeypatch) -> Iterator[list[tuple[str, str]]]:
    """Note every fsync with the path behind the descriptor, and every rename, in their order."""
    noted: list[tuple[str, str]] = []
    fsync, rename = os.fsync, Path.rename

    def noting_fsync(descriptor: int) -> None:
        noted.append(("fsync", str(Path(f"/proc/self/fd/{descriptor}").readlink())))
        fsync(descriptor)

    def noting_rename(self: Path, target: Path) -> Path:
        noted.append(("rename", str(target)))
        return rename(self, target)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(Path, "rename", noting_rename)
    return noted


def test_what_is_put_can_be_read_and_is_compressed(own_spool):
    put()
    assert read(spool.spool()) == XML
    assert (own_spool / "spool" / NAME).stat().st_size < len(XML) / 10


def test_a_document_is_synced_before_it_gets_its_name_and_its_folders_after(own_spool, calls):
    put()
    target = own_spool / "spool" / NAME
    assert calls[:3] == [
        ("fsync", str(target.with_name(f".{target.name}.part"))),
        ("rename", str(target)),
        ("fsync", str(target.parent)),
    ]
    assert sorted(calls[3:]) == [("fsync", str(own_spool)), ("fsync", str(own_spool / "spool"))]


@pytest.mark.parametrize(("umask", "mode"), [(0o007, 0o770), (0o027, 0o750)])
def test_the_umask_decides_whether_the_group_may_move_documents_away(own_spool, umask, mode):
    before = os.umask(umask)
    try:
        put()
    finally:
        os.umask(before)
    assert stat.S_IMODE((own_spool / "spool" / NAME).parent.stat().st_mode) == mode


def test_in_a_folder_that_exists_only_file_and_folder_are_synced(own_spool, calls):
    put()
    calls.clear()
    put(name="3f/3f01.xml.zst")
    folder = own_spool / "spool" / "3f"
    assert calls == [
        ("fsync", str(folder / ".3f01.xml.zst.part")),
        ("rename", str(folder / "3f01.xml.zst")),
        ("fsync", str(folder)),
    ]


@pytest.mark.parametrize("failing", ["fsync", "rename"])
def test_a_document_that_does_not_fit_leaves_nothing_behind(own_spool, monkeypatch, failing):
    def full(*args: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    if failing == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    elif failing == "rename":
        monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(OSError, match="No space left"):
        put()
    assert files(own_spool) == []


def test_a_disk_that_fills_up_while_writing_leaves_nothing_behind(own_spool):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            put(os.urandom(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files(own_spool) == []


def test_moving_to_the_archive_leaves_one_copy_and_syncs_its_folder(own_spool, calls):
    put()
    calls.clear()
    assert spool.move_to_archive([NAME]) == {}
    assert files(own_spool) == [f"archive/{NAME}"]
    assert ("fsync", str(own_spool / "archive" / "3f")) in calls
    assert read(spool.archive()) == XML


def test_many_documents_are_moved_with_one_sync_per_folder(own_spool, calls):
    names = [f"3f/{number}.xml.zst" for number in range(20)]
    for name in names:
        spool.put(spool.spool(), name, BytesIO(XML))
    calls.clear()
    failed = spool.move_to_archive([*names, "4a/gone.xml.zst"])
    assert list(failed) == ["4a/gone.xml.zst"]
    assert files(own_spool) == sorted(f"archive/{name}" for name in names)
    assert calls.count(("fsync", str(own_spool / "archive" / "3f"))) == 1


def test_moving_twice_does_nothing_more(own_spool):
    put()
    assert spool.move_to_archive([NAME]) == {}
    assert spool.move_to_archive([NAME]) == {}
    assert read(spool.archive()) == XML


def test_moving_to_another_disk_copies_durably_and_then_removes(own_spool, calls, monkeypatch):
    put()
    calls.clear()
    noting = Path.rename

    def across_disks(self: Path, target: Path) -> Path:
        if self.parent.parent.name != target.parent.parent.name:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return noting(self, target)

    monkeypatch.setattr(Path, "rename", across_disks)
    assert spool.move_to_archive([NAME]) == {}
    target = own_spool / "archive" / NAME
    assert calls[:2] == [("fsync", str(target.with_name(f".{target.name}.part"))), ("rename", str(target))]
    assert files(own_spool) == [f"archive/{NAME}"]
    assert read(spool.archive()) == XML


def test_a_document_that_two_workers_copy_at_once_is_moved(own_spool, monkeypatch):
    put()

    def copied_by_another(self: Path, target: Path) -> Path:
        if self.name.endswith(".part"):
            (own_spool / "spool" / NAME).unlink()
            return self.replace(target)
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(Path, "rename", copied_by_another)
    assert spool.move_to_archive([NAME]) == {}
    assert read(spool.archive()) == XML


def test_documents_are_dropped_for_good_with_one_sync_per_folder(own_spool, calls):
    names = ["3f/1.xml.zst", "3f/2.xml.zst", "3f/3.xml.zst", "aa/4.xml.zst"]
    for name in names:
        spool.put(spool.archive(), name, BytesIO(XML))
    calls.clear()
    assert spool.drop_from_archive([*names[1:], "3f/never-there", "bb/never-there"]) == {}
    assert files(own_spool) == [f"archive/{names[0]}"]
    assert sorted(calls) == [("fsync", str(own_spool / "archive" / folder)) for folder in ("3f", "aa")]
    assert spool.drop_from_archive(names[1:]) == {}


def test_a_document_that_can_not_be_dropped_is_told_and_holds_up_no_other(own_spool):
    (own_spool / "archive" / "aa" / "folder").mkdir(parents=True)
    spool.put(spool.archive(), "aa/1", BytesIO(XML))
    assert [*spool.drop_from_archive(["aa/folder", "aa/1"])] == ["aa/folder"]
    assert not spool.archive().exists("aa/1")


def test_a_document_that_is_nowhere_is_missed(own_spool):
    error = spool.move_to_archive([NAME])[NAME]
    assert isinstance(error, FileNotFoundError)
    assert "neither in the spool nor in the archive" in str(error)


def test_a_damaged_document_does_not_read_as_a_shorter_one(own_spool):
    put()
    path = own_spool / "spool" / NAME
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(zstandard.ZstdError):
        read(spool.spool())


def test_free_space_is_known_before_the_folder_exists(own_spool):
    assert not (own_spool / "spool").exists()
    assert (spool.free_bytes() or 0) > 0


def test_names_spread_over_256_folders():
    assert spool.document_name("3f2504e0-4f89") == "3f/3f2504e0-4f89.xml.zst"
