"""Published files on disk, below the setting PUBLISHED_DIR: `deDE/zone-maps/12.json.gz`, `deDE/mobs/10/10636.json.gz`.

A published file has one or several parts: `json.gz`, or a zone's images, `deDE/zone-images/12.contours-0.png`. Each
part is compressed once and replaced as a whole: readers see the old or the new one, even after a power failure. Parts
of versioned kinds are also stored under their version, `deDE/zone-maps/12.3f0c9e0b1a2d4c5e.json.gz`; the current and
the previous version are kept.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import time
from typing import TypeVar

import orjson
from django.conf import settings

from maps.publish.kinds import JSON, Kind, Parts
from maps.queries.shapes import Row

#: Level 9 saves another 1 % but takes 3 times as long.
GZIP_LEVEL = 6
_VERSIONED = re.compile(r"([0-9]+)\.[0-9a-f]{16}\.(.+)")
#: Readable by all users, because the data is public and nginx runs as a user of its own.
FILE_MODE, FOLDER_MODE = 0o644, 0o755
#: Many concurrent syncs take the disk little more time than one.
SYNC_THREADS = 16

T = TypeVar("T")


def folder(locale: str, kind: Kind) -> Path:
    """Return the folder of a locale's files of one kind."""
    return Path(settings.PUBLISHED_DIR) / locale / kind.folder


def stem(locale: str, kind: Kind, number: int) -> Path:
    """Return what the paths of a file's parts begin with. Each thousand after the first has a folder of its own."""
    return folder(locale, kind) / str(number)[:-3] / str(number)


def path(locale: str, kind: Kind, number: int, part: str = JSON) -> Path:
    """Return the path of a part of a file, which may not exist."""
    return _path(stem(locale, kind, number), part)


def read(file: Path) -> Row | None:
    """Return the content of a JSON part, None if there is no such file."""
    try:
        body: Row = orjson.loads(gzip.decompress(file.read_bytes()))
    except FileNotFoundError:
        return None
    return body


def version(content: bytes) -> str:
    """Return the version of a content, a hash with 16 hexadecimal digits: `3f0c9e0b1a2d4c5e`."""
    return blake2b(content, digest_size=8).hexdigest()


def write(published: Mapping[Path, Parts], *, versioned: bool = False) -> None:
    """Write published files, given by their `stem`, and delete parts that they no longer have.

    Unchanged parts are not written, so that browsers keep what they have cached. When this returns, all parts are
    synced to disk. Raises `OSError` on failure; then some parts may have been replaced, each as a whole.
    """
    new: dict[Path, Path] = {}
    changed = set()
    try:
        for where, parts in published.items():
            if _delete_others(where, parts, versioned=versioned):
                changed.add(where.parent)
            for part, body in parts.items():
                file, content = _path(where, part), body if isinstance(body, bytes) else compress(body)
                if _read_bytes(file) != content:
                    new[file] = _write_beside(file, content)
        _run_all(_sync, new.values())
        for file, written in new.items():
            if versioned:
                _link_version(file, written)
            written.replace(file)
            changed.add(file.parent)
    finally:
        for written in new.values():
            written.unlink(missing_ok=True)
    _run_all(_sync, changed)


def compress(body: Row) -> bytes:
    """Return compressed JSON, as it is published."""
    return gzip.compress(orjson.dumps(body), GZIP_LEVEL, mtime=0)


def list_files(locale: str, kind: Kind) -> Iterator[tuple[int | None, Path]]:
    """Yield all files below a kind's folder with their number, None for files that do not belong there.

    Versions of a part that exists are left out.
    """
    for where, _folders, names in os.walk(folder(locale, kind)):
        for name in names:
            file = Path(where, name)
            if kind.versioned and (of := _VERSIONED.fullmatch(name)) and Path(where, f"{of[1]}.{of[2]}").exists():
                continue
            number, _, part = name.partition(".")
            known = number.isascii() and number.isdigit() and path(locale, kind, int(number), part) == file
            yield (int(number) if known else None), file


def _path(where: Path, part: str) -> Path:
    return where.with_name(f"{where.name}.{part}")


def _delete_others(where: Path, parts: Parts, *, versioned: bool) -> bool:
    """Delete the parts that a file no longer has. Returns whether there were any."""
    # Only versioned kinds have several parts. Searching a folder of a thousand files for each of them would be slow.
    existing = list(where.parent.glob(f"{where.name}.*")) if versioned else [_path(where, JSON)]
    deleted = False
    for file in existing:
        of = _VERSIONED.fullmatch(file.name)
        if (of[2] if of else file.name.partition(".")[2]) not in parts:
            with suppress(FileNotFoundError):
                file.unlink()
                deleted = True
    return deleted


def _link_version(file: Path, written: Path) -> None:
    """Link a new file under its version as well, and delete all other versions but the newest.

    A page that was just served refers to the previous version, which is therefore kept. Keeping more of them would
    cost a busy site a copy of every map every few seconds.
    """
    number, _, part = file.name.partition(".")
    own = file.with_name(f"{number}.{version(written.read_bytes())}.{part}")
    others = [old for old in file.parent.glob(f"{number}.*.{part}") if old != own]
    with suppress(FileExistsError):
        own.hardlink_to(written)
    for old in sorted(others, key=_changed_at)[:-1]:
        old.unlink(missing_ok=True)


def _read_bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def _write_beside(file: Path, content: bytes) -> Path:
    """Write a temporary file in the folder of `file`, not synced yet. Returns its path."""
    _make_folder(file.parent)
    # ETags contain the time in whole seconds: two contents must never have the same.
    changed_at = max(int(time()), _changed_at(file) + 1)
    with NamedTemporaryFile(dir=file.parent, prefix=".", suffix=".new", delete=False) as new:
        try:
            new.write(content)
            new.flush()
            os.fchmod(new.fileno(), FILE_MODE)
            os.utime(new.fileno(), (changed_at, changed_at))
        except BaseException:
            Path(new.name).unlink(missing_ok=True)
            raise
    return Path(new.name)


def _make_folder(where: Path) -> None:
    """Make a folder and its missing parents, readable by all users whatever the process's umask."""
    missing = [each for each in (where, *where.parents) if not each.exists()]
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        with suppress(PermissionError):  # made by another user at the same moment
            one.chmod(FOLDER_MODE)
    _run_all(_sync, {one.parent for one in missing})


def _changed_at(file: Path) -> int:
    """Return when a file was written in whole seconds since 1970, 0 if there is none."""
    try:
        return int(file.stat().st_mtime)
    except FileNotFoundError:
        return 0


def _sync(where: Path) -> None:
    number = os.open(where, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _run_all(work: Callable[[T], None], items: Iterable[T]) -> None:
    """Call `work` for each item in several threads. Raises the first error when all are done."""
    listed = list(items)
    if len(listed) < 2:
        for one in listed:
            work(one)
        return
    with ThreadPoolExecutor(min(SYNC_THREADS, len(listed))) as threads:
        list(threads.map(work, listed))
