"""Documents on the disk, below the setting PUBLISHED_DIR: `deDE/zone-maps/12.json.gz`, `deDE/mobs/10/10636.json.gz`.

A document has one part or several, each a file: `json.gz`, or a zone's pictures, `deDE/zone-pictures/12.ground-0.png`.
Compressed once and replaced whole: readers see the old or the new one, also after a power cut. What is versioned lies
there under its content's name as well, `deDE/zone-maps/12.3f0c9e0b1a2d4c5e.json.gz`, until the content after the next.
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
from maps.queries.database import Row

#: Level 9 saves another 1 % in 3 times the time.
GZIP_LEVEL = 6
_VERSIONED = re.compile(r"([0-9]+)\.[0-9a-f]{16}\.(.+)")
#: Everybody may read what the API tells everybody, above all nginx, which runs as a user of its own.
FILE_MODE, FOLDER_MODE = 0o644, 0o755
#: The disk takes many syncs at once in little more time than one.
SYNCING_THREADS = 16

T = TypeVar("T")


def folder(locale: str, kind: Kind) -> Path:
    """Return where a locale's documents of a kind lie."""
    return Path(settings.PUBLISHED_DIR) / locale / kind.folder


def place(locale: str, kind: Kind, number: int) -> Path:
    """Return what the paths of a document's parts begin with: there is a folder for each thousand past the first."""
    return folder(locale, kind) / str(number)[:-3] / str(number)


def path(locale: str, kind: Kind, number: int, part: str = JSON) -> Path:
    """Return where a part of a document lies, made or not."""
    return _path(place(locale, kind, number), part)


def read(file: Path) -> Row | None:
    """Return what a document holds, None if there is none."""
    try:
        body: Row = orjson.loads(gzip.decompress(file.read_bytes()))
    except FileNotFoundError:
        return None
    return body


def version(content: bytes) -> str:
    """Return the name of a document's content, 16 digits: `3f0c9e0b1a2d4c5e`."""
    return blake2b(content, digest_size=8).hexdigest()


def write(documents: Mapping[Path, Parts], *, versioned: bool = False) -> None:
    """Write documents by their `place`, delete parts that they don't have (any more).

    Equal ones stay as they are, so that browsers keep what they have. All are on the disk afterwards. Raises `OSError`
    when they are not; then some may be written, each whole.
    """
    new: dict[Path, Path] = {}
    changed = set()
    try:
        for where, parts in documents.items():
            if _delete_others(where, parts, versioned=versioned):
                changed.add(where.parent)
            for part, made in parts.items():
                file, content = _path(where, part), made if isinstance(made, bytes) else compressed(made)
                if _read_bytes(file) != content:
                    new[file] = _write_beside(file, content)
        _each(_sync, new.values())
        for file, written in new.items():
            if versioned:
                _name_by_content(file, written)
            written.replace(file)
            changed.add(file.parent)
    finally:
        for written in new.values():
            written.unlink(missing_ok=True)
    _each(_sync, changed)


def compressed(body: Row) -> bytes:
    """Return JSON as it is published."""
    return gzip.compress(orjson.dumps(body), GZIP_LEVEL, mtime=0)


def numbers(locale: str, kind: Kind) -> Iterator[tuple[int | None, Path]]:
    """Yield all files below a kind's folder with the number of their document, None for strays.

    The contents of a document by their own names are left out.
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
    """Delete the parts that a document has on the disk and no longer is made of; returns whether there were any."""
    # Only what is versioned has several; a folder with a thousand documents is not searched for each of them.
    there = list(where.parent.glob(f"{where.name}.*")) if versioned else [_path(where, JSON)]
    gone = False
    for file in there:
        of = _VERSIONED.fullmatch(file.name)
        if (of[2] if of else file.name.partition(".")[2]) not in parts:
            with suppress(FileNotFoundError):
                file.unlink()
                gone = True
    return gone


def _name_by_content(file: Path, written: Path) -> None:
    """Give a new file the name of its content as well, and take away all others but the newest.

    A page that has just told the address before this one is not sent elsewhere for it; to keep more would cost a busy
    site a copy of every map each few seconds.
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
    """Write a new file next to where it is to be, not synced yet; returns its path."""
    _make_folder(file.parent)
    # ETags count whole seconds: two contents must never share one.
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
    """Make a folder and those around it, open for everybody whatever the process's umask."""
    missing = [each for each in (where, *where.parents) if not each.exists()]
    for one in reversed(missing):
        one.mkdir(exist_ok=True)
        with suppress(PermissionError):  # made by another user at the same moment
            one.chmod(FOLDER_MODE)
    _each(_sync, {one.parent for one in missing})


def _changed_at(file: Path) -> int:
    """Return when a file was written, in whole seconds since 1970; 0 if there is none."""
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


def _each(work: Callable[[T], None], things: Iterable[T]) -> None:
    """Do something with each thing, with several at once; raises the first error once all are done."""
    listed = list(things)
    if len(listed) < 2:
        for one in listed:
            work(one)
        return
    with ThreadPoolExecutor(min(SYNCING_THREADS, len(listed))) as threads:
        list(threads.map(work, listed))
