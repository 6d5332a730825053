"""Documents on disk: the spool, which is the log of everything accepted, and the archive.

Both are Django storages (`STORAGES["spool"]`, `["archive"]`) of the same kind: directories, or prefixes of a bucket
that several machines share (`ingest.intake.object_store`). A stored document is the unwrapped XML, compressed with
zstd.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol, cast

import zstandard
from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, Storage, storages
from django.utils.deconstruct import deconstructible

#: Level 3 shrinks the addon's XML to a sixth at some 300 MB/s.
_LEVEL = 3


@deconstructible(path="ingest.intake.spool.DurableFileSystemStorage")
class DurableFileSystemStorage(FileSystemStorage):
    """A directory whose files survive a loss of power from the moment `save` returns.

    Django's own storage leaves data and directory entry to the page cache. Here a file is written under a temporary
    name, synced, renamed, and its folder synced: there is never half a file.
    """

    def save(self, name: str, content: File, max_length: int | None = None) -> str:  # type: ignore[override, type-arg]
        """Store a document under its name, replacing an earlier one; raises OSError.

        Django's own method first cleans the name and makes it unique. Here names are made of uploads' ids.
        """
        target = Path(self.location, name)
        made = _make_folders(target.parent)
        partial = target.with_name(f".{target.name}.part")
        try:
            with partial.open("wb") as file:
                for chunk in content.chunks():
                    file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            partial.rename(target)
        except BaseException:
            with suppress(FileNotFoundError):
                partial.unlink()
            raise
        for folder in [target.parent, *made]:
            _sync_folder(folder)
        return name

    def take_all(self, names: Iterable[str], source: DurableFileSystemStorage) -> dict[str, OSError]:
        """Move documents here from another directory; return those that could not be moved, with the reason.

        Each folder is synced once for all of them.
        """
        failed: dict[str, OSError] = {}
        changed: set[Path] = set()
        copied: list[Path] = []
        for name in names:
            here, there = Path(self.location, name), Path(source.location, name)
            try:
                if here.parent not in changed:
                    changed.update([here.parent, *_make_folders(here.parent)])
                if not self._rename(there, here):
                    with there.open("rb") as document:
                        self.save(name, File(document))
                    copied.append(there)
            except OSError as error:
                failed[name] = error
        for folder in changed:
            _sync_folder(folder)
        for left in copied:
            left.unlink(missing_ok=True)  # another worker may have moved it as well
        return failed

    def drop_all(self, names: Iterable[str]) -> dict[str, OSError]:
        """Delete documents, for good from the moment this returns; return those still there, with the reason."""
        failed: dict[str, OSError] = {}
        changed: set[Path] = set()
        for name in names:
            document = Path(self.location, name)
            try:
                document.unlink(missing_ok=True)
            except OSError as error:
                failed[name] = error
            else:
                changed.add(document.parent)
        for folder in changed:
            if folder.is_dir():
                _sync_folder(folder)
        return failed

    @staticmethod
    def _rename(there: Path, here: Path) -> bool:
        """Rename a file; return False if it is on another disk."""
        try:
            there.rename(here)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            return False
        return True


def _make_folders(folder: Path) -> list[Path]:
    """Create a folder and its missing parents; return the folders that got a new entry."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        with suppress(FileExistsError):
            path.mkdir(mode=0o770)  # less the umask: workers of the same group move documents away
    return [path.parent for path in missing]


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Documents(Protocol):
    """What spool and archive can do beyond a Django storage."""

    def take_all(self, names: Iterable[str], source: Storage) -> dict[str, OSError]:
        """Move documents here from a storage of the same kind: durable here before they are deleted there.

        Return those that could not be moved, with the reason (FileNotFoundError: not in `source`).
        """

    def drop_all(self, names: Iterable[str]) -> dict[str, OSError]:
        """Delete documents for good; return those that may still be there, with the reason. Repeatable."""


def spool() -> Storage:
    """Return the storage of documents that wait to be merged."""
    return storages["spool"]


def archive() -> Storage:
    """Return the storage of documents that are merged or rejected."""
    return storages["archive"]


def document_name(upload_id: str) -> str:
    """Return the name of an upload's document in either storage: `"3f…"` → `"3f/3f….xml.zst"`, in 256 folders."""
    return f"{upload_id[:2]}/{upload_id}.xml.zst"


def put(storage: Storage, name: str, document: BinaryIO) -> None:
    """Store a document (a seekable stream of XML) durably; raises OSError if disk or store do not take it."""
    document.seek(0)
    compressed = _Compressed(document)
    storage.save(name, compressed)


class _Compressed(File):  # type: ignore[type-arg]
    """A file that is compressed while it is stored."""

    def __init__(self, document: BinaryIO) -> None:
        super().__init__(document)
        self._document = document

    def chunks(self, chunk_size: int | None = None) -> Iterator[bytes]:
        compressor: Any = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).chunker(chunk_size=1 << 18)
        while data := self._document.read(1 << 18):
            yield from compressor.compress(data)
        yield from compressor.finish()


@contextmanager
def opened(storage: Storage, name: str) -> Iterator[BinaryIO]:
    """Open a stored document as a stream of XML."""
    with storage.open(name, "rb") as stored, zstandard.ZstdDecompressor().stream_reader(_raw(stored)) as reader:
        yield cast(BinaryIO, reader)


@contextmanager
def open_document(name: str, *, archived: bool) -> Iterator[BinaryIO]:
    """Open a document as a stream of XML, in the archive or the spool, whatever its row says; raises OSError.

    A document moves from the spool to the archive, and its row says so afterwards. A crash in between leaves the row
    behind, and another worker may be moving the document right now.
    """
    first, second = (archive(), spool()) if archived else (spool(), archive())
    with ExitStack() as stack:
        try:
            document = stack.enter_context(opened(first, name))
        except FileNotFoundError:
            document = stack.enter_context(opened(second, name))
        yield document


def _raw(stored: IO[bytes]) -> IO[bytes]:
    return getattr(stored, "file", stored)


def move_to_archive(names: Iterable[str]) -> dict[str, OSError]:
    """Move documents from the spool to the archive; return those that did not arrive, with the reason. Repeatable."""
    failed = cast(Documents, archive()).take_all(names, spool())
    for name, error in list(failed.items()):
        if not isinstance(error, FileNotFoundError):
            continue
        # An interrupted earlier try has moved it, or another worker just now.
        if archive().exists(name):
            del failed[name]
        else:
            failed[name] = FileNotFoundError(f"The document {name} is neither in the spool nor in the archive.")
    return failed


def drop_from_archive(names: Iterable[str]) -> dict[str, OSError]:
    """Delete documents from the archive; return those that may still be there, with the reason. Repeatable."""
    return cast(Documents, archive()).drop_all(names)


def free_bytes() -> int | None:
    """Return the free bytes on the spool's disk; None for an object store, which has no such figure."""
    storage = spool()
    if not isinstance(storage, FileSystemStorage):
        return None
    folder = Path(storage.location)
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free
