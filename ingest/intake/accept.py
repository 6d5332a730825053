"""Take a document: from its bytes to a row that is never lost.

The order is the promise (invariant 1): document on disk and synced, row committed, only then the answer.
"""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from tempfile import SpooledTemporaryFile
from time import monotonic
from typing import Any, BinaryIO, cast

import orjson
from django.conf import settings
from django.db import connection
from django.utils import timezone

from core import locales
from ingest.formats.mobmapdata.precheck import guard
from ingest.formats.mobmapdata.reading import Contents
from ingest.formats.mobmapdata.unwrap import unwrap
from ingest.formats.mobmapdata.validate import small_documents, validate
from ingest.intake import spool
from ingest.intake.problems import SpoolFull, UploadLocaleNotHosted
from ingest.intake.sql import load
from ingest.models import Upload
from ingest.queue import wake

logger = logging.getLogger(__name__)

#: Documents up to this size are held in memory while they are checked, larger ones in a temporary file.
IN_MEMORY_BYTES = 1 << 20
RETRY_WHEN_FULL_S = 60
_FIND, _INSERT = (load(name) for name in ("find_upload.sql", "insert_upload.sql"))
#: What a new row does not have in common with all others.
_OWN = (
    *("id", "locale", "content_hash", "version", "game_version", "sender", "file_name", "size_bytes", "document_name"),
    *("mobs", "positions", "lootings", "received_at"),
)
os.register_at_fork(after_in_child=small_documents.begin_anew)


class Steps:
    """How long each step of taking a document took."""

    def __init__(self) -> None:
        self.took_s: dict[str, float] = {}
        self._since = monotonic()

    def done(self, step: str) -> None:
        """Say that a step is over; the next one begins."""
        now = monotonic()
        self.took_s[step] = now - self._since
        self._since = now


@dataclass(frozen=True)
class Accepted:
    """An accepted document: its row (unsaved after a dry run), and whether it had come before.

    `took_s` is how long each step took: read (the sender's line with it), check, look (for an earlier one),
    spool, row.
    """

    upload: Upload
    duplicate: bool
    took_s: dict[str, float] = field(default_factory=dict)


def accept(
    body: Iterator[bytes],
    content_encoding: str,
    sender: str,
    file_name: str,
    *,
    check_locale: Callable[[str], None],
    dry_run: bool,
) -> Accepted:
    """Check a body and, unless it is a dry run, keep it; raises a `Problem` of `ingest.intake.problems`.

    `sender` is the key of the player or network; `file_name`, which a form of the API tells, is kept for the admins.
    `check_locale` may refuse a locale that takes nothing at the moment.
    """
    steps = Steps()
    with closing(SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=settings.FILE_UPLOAD_TEMP_DIR)) as temporary:
        document = cast(BinaryIO, temporary)
        chunks = unwrap(body, content_encoding, settings.MAX_BODY_BYTES, settings.MAX_DOCUMENT_BYTES)
        for chunk in guard(chunks):
            _write(document, chunk)
        size_bytes = document.tell()
        steps.done("read")
        contents = validate(document)
        steps.done("check")
        upload = _row(contents, size_bytes, sender, file_name)
        earlier = _earlier(upload)
        steps.done("look")
        if earlier:
            return Accepted(earlier, duplicate=True, took_s=steps.took_s)
        check_locale(upload.locale)
        if dry_run:
            return Accepted(upload, duplicate=False, took_s=steps.took_s)
        return _keep(upload, document, steps)


def _write(document: BinaryIO, chunk: bytes) -> None:
    try:
        document.write(chunk)
    except OSError as error:  # apart from errors of reading: those mean that the sender is gone
        logger.exception("The folder for temporary files could not hold an upload while it was checked.")
        raise SpoolFull(
            f"The document could not be stored while it was checked ({error.strerror or error}). "
            "Nothing was kept; send it again later.",
            retry_after_s=RETRY_WHEN_FULL_S,
        ) from error


def _row(contents: Contents, size_bytes: int, sender: str, file_name: str) -> Upload:
    locale = locales.canonical(contents.language)
    if locale not in locales.hosted():
        raise UploadLocaleNotHosted(
            f"The document is in {contents.language}; this site hosts {', '.join(locales.hosted())}.",
            hosted=locales.hosted(),
        )
    upload_id = uuid.uuid4()
    return Upload(
        id=upload_id,
        locale=locale,
        content_hash=contents.content_hash,
        version=contents.version,
        game_version=contents.game_version[:200],
        sender=sender,
        file_name="".join(letter for letter in file_name if letter.isprintable())[:200],
        size_bytes=size_bytes,
        document_name=spool.document_name(str(upload_id)),
        mobs=contents.mobs,
        positions=contents.positions,
        lootings=contents.lootings,
        ignored=dict(contents.ignored),
        received_at=timezone.now(),
    )


def _earlier(upload: Upload) -> Upload | None:
    with connection.cursor() as cursor:
        cursor.execute(_FIND, {"locale": upload.locale, "content_hash": bytes(upload.content_hash)})
        found = cursor.fetchone()
    return Upload.objects.get(id=found[0]) if found else None


def _insert(upload: Upload) -> bool:
    """Commit a new row; False where its content is there already.

    One statement, which commits by itself: the model's own way to save takes three and ten times the time.
    """
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, _values(upload))
        upload._state.adding = not cursor.rowcount
    return not upload._state.adding


def _values(upload: Upload) -> dict[str, Any]:
    """Return a new row's parameters; asking each of the model's fields for its value takes as long as the statement."""
    return {name: getattr(upload, name) for name in _OWN} | {"ignored": orjson.dumps(upload.ignored).decode()}


def _keep(upload: Upload, document: BinaryIO, steps: Steps) -> Accepted:
    try:
        spool.put(spool.spool(), upload.document_name, document)
    except OSError as error:
        logger.exception("The spool could not store the document of upload %s.", upload.id)
        with suppress(OSError):
            spool.spool().delete(upload.document_name)
        raise SpoolFull(
            f"The document is valid but could not be stored ({error.strerror or error}). "
            "Nothing was kept; send it again later.",
            retry_after_s=RETRY_WHEN_FULL_S,
        ) from error
    steps.done("spool")
    while not _insert(upload):
        # The same content was accepted between the look and the insert: the first row stays. If there is
        # none any more, it has been rejected in the meantime.
        earlier = _earlier(upload)
        if earlier:
            spool.spool().delete(upload.document_name)
            return Accepted(earlier, duplicate=True, took_s=steps.took_s)
    steps.done("row")
    # After any error the document stays: a connection lost during the commit does not tell whether
    # the row is there, and a row must never be without its document. `tidy` deletes what has no row.
    wake.wake(upload.locale)
    return Accepted(upload, duplicate=False, took_s=steps.took_s)
