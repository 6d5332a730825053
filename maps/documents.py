"""Documents made when something changes, so that to read one is to read a file: what a zone's map draws.

On disk, below the setting PUBLISHED_DIR: `deDE/zone-maps/12.json.gz`, compressed once and replaced whole. nginx
hands the files out in production (`deploy/nginx`), `answer` does elsewhere. Where a document isn't there
(yet), the same answer is made from the database.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import time
from typing import IO

import orjson
from django.conf import settings
from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import patch_vary_headers
from django.utils.http import http_date

from maps import locales, queries
from maps.queries.database import statement

#: Level 9 saves another 1 % in 3 times the time.
GZIP_LEVEL = 6
SUFFIX = ".json.gz"
#: Everybody may read what the API tells everybody, above all nginx, which runs as a user of its own.
FILE_MODE, FOLDER_MODE = 0o644, 0o755


def folder(locale: str) -> Path:
    """Return where a locale's zone maps lie."""
    return Path(settings.PUBLISHED_DIR) / locale / "zone-maps"


def path(locale: str, zone: int) -> Path:
    """Return where the document of a zone's map lies, made or not."""
    return folder(locale) / f"{zone}{SUFFIX}"


def mark(alias: str, mobs: list[int], zones: list[int]) -> None:
    """Note down that creatures changed in zones, within the transaction that changes them."""
    if settings.PUBLISH_DOCUMENTS:
        with connections[alias].cursor() as cursor:
            cursor.execute(statement("mark_stale"), {"mobs": mobs, "zones": zones})


def mark_all(alias: str) -> int:
    """Have all documents of a locale made anew, and delete those of zones that it doesn't know; returns how many."""
    with connections[alias].cursor() as cursor:
        cursor.execute(statement("mark_all_stale"))
        marked = int(cursor.rowcount)
        cursor.execute("SELECT id FROM zone")
        known = {f"{zone}{SUFFIX}" for (zone,) in cursor.fetchall()}
    for file in folder(locales.of_alias(alias)).glob("*"):
        if file.name not in known:
            file.unlink(missing_ok=True)
    return marked


def are_stale(alias: str) -> bool:
    """Tell whether a document is to be made."""
    if not settings.PUBLISH_DOCUMENTS:
        return False
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM stale_document)")
        return bool(cursor.fetchone()[0])


def make_stale(alias: str) -> Iterator[int]:
    """Make the documents that are older than the tables, the oldest first; yields each zone once it is done.

    A mark is gone only if its document is on the disk: each has a transaction of its own. Several processes may do
    this at the same time, each with other zones.
    """
    while settings.PUBLISH_DOCUMENTS:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            cursor.execute(statement("take_stale"))
            taken = cursor.fetchone()
            if taken is None:
                return
            make(alias, taken[0])
        yield taken[0]


def make(alias: str, zone: int) -> None:
    """Write the document of a zone's map, or delete it if nothing is known of the zone any more."""
    body = queries.zone_map(alias, zone)
    file = path(locales.of_alias(alias), zone)
    if body is None:
        file.unlink(missing_ok=True)
    else:
        _replace(file, gzip.compress(orjson.dumps(body), GZIP_LEVEL, mtime=0))


def answer(request: HttpRequest, alias: str, zone: int) -> HttpResponse | None:
    """Answer with the published document of a zone's map, None where there is none.

    Its ETag is nginx's for the same file, so that both may answer the same reader in turns.
    """
    if not settings.PUBLISH_DOCUMENTS:
        return None
    try:
        with path(locales.of_alias(alias), zone).open("rb") as file:
            state, body = os.fstat(file.fileno()), file.read()
    except FileNotFoundError:
        return None
    etag = f'"{int(state.st_mtime):x}-{state.st_size:x}"'
    response = HttpResponse(content_type="application/json")
    if re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")):
        response.content = body
        response["Content-Encoding"] = "gzip"
        response["ETag"] = etag
    else:
        response.content = gzip.decompress(body)
        response["ETag"] = f"W/{etag}"
    response["Last-Modified"] = http_date(int(state.st_mtime))
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


def _replace(file: Path, content: bytes) -> None:
    """Write a file so that readers see the old or the new one whole, also after a power cut; an equal one stays."""
    with suppress(FileNotFoundError):
        if file.read_bytes() == content:
            return
    _make_folder(file.parent)
    # ETags count whole seconds: two contents must never share one.
    changed_at = max(int(time()), _changed_at(file) + 1)
    with _temporary(file.parent) as new:
        new.write(content)
        new.flush()
        os.fchmod(new.fileno(), FILE_MODE)
        os.utime(new.fileno(), (changed_at, changed_at))
        os.fsync(new.fileno())
        Path(new.name).replace(file)
    _sync_folder(file.parent)


def _make_folder(folder: Path) -> None:
    """Make a locale's folder, open for everybody whatever the process's umask, and those around it."""
    if not folder.exists():
        for one in (folder.parent.parent, folder.parent, folder):
            one.mkdir(parents=True, exist_ok=True)
            with suppress(PermissionError):  # the outermost may belong to another user, who has set it up
                one.chmod(FOLDER_MODE)


def _changed_at(file: Path) -> int:
    """Return when a file was written, in whole seconds since 1970; 0 if there is none."""
    try:
        return int(file.stat().st_mtime)
    except FileNotFoundError:
        return 0


@contextmanager
def _temporary(folder: Path) -> Iterator[IO[bytes]]:
    """Open a new file that is gone afterwards, unless it was renamed."""
    with NamedTemporaryFile(dir=folder, prefix=".", suffix=".new", delete=False) as new:
        try:
            yield new
        finally:
            Path(new.name).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
