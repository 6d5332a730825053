"""Accept an upload: from the bytes of its document to a row that is never lost.

The order is the promise: first the document is on disk and synced, then the row is committed, then comes the answer.
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
from typing import BinaryIO, cast

from django.conf import settings
from django.utils import timezone

from core import locales
from ingest import lifecycle, wake
from ingest.formats.mobmapdata.precheck import precheck
from ingest.formats.mobmapdata.reading import Contents
from ingest.formats.mobmapdata.unwrap import unwrap
from ingest.formats.mobmapdata.validate import small_documents, validate
from ingest.intake import spool
from ingest.models import Upload
from ingest.problems import SpoolFull, UploadLocaleNotHosted

logger = logging.getLogger(__name__)

#: Documents up to this size are held in memory while they are checked, larger ones in a temporary file.
IN_MEMORY_BYTES = 1 << 20
RETRY_WHEN_FULL_S = 60
os.register_at_fork(after_in_child=small_documents.reset_after_fork)


class Steps:
    """How long each step of accepting an upload took."""

    def __init__(self) -> None:
        self.took_s: dict[str, float] = {}
        self._since = monotonic()

    def done(self, step: str) -> None:
        """End a step; the next one begins."""
        now = monotonic()
        self.took_s[step] = now - self._since
        self._since = now


@dataclass(frozen=True)
class Accepted:
    """An accepted upload: its row (unsaved after a dry run), or the row of an earlier upload with the same content.

    `took_s` has the seconds of each step: read (at the pace of the sender's connection), check, look (for an earlier
    upload), spool, row.
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
    """Check a body and, unless it is a dry run, keep it; raises a `Problem` of `ingest.problems`.

    `sender` is the key of the player or network. `file_name` comes from a form of the API and is kept for admins.
    `check_locale` may refuse a locale whose intake is paused.
    """
    steps = Steps()
    with closing(SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=settings.FILE_UPLOAD_TEMP_DIR)) as temporary:
        document = cast(BinaryIO, temporary)
        chunks = unwrap(body, content_encoding, settings.MAX_BODY_BYTES, settings.MAX_DOCUMENT_BYTES)
        for chunk in precheck(chunks):
            _write(document, chunk)
        size_bytes = document.tell()
        steps.done("read")
        contents = validate(document)
        steps.done("check")
        upload = _row(contents, size_bytes, sender, file_name)
        earlier = lifecycle.find(upload.locale, bytes(upload.content_hash))
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
    except OSError as error:  # not those of reading the body: they mean that the sender is gone
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
    while not lifecycle.insert(upload):
        # The same content was accepted between look and insert: the first row stays. If there is no such row any
        # more, it was rejected in the meantime.
        earlier = lifecycle.find(upload.locale, bytes(upload.content_hash))
        if earlier:
            spool.spool().delete(upload.document_name)
            return Accepted(earlier, duplicate=True, took_s=steps.took_s)
    steps.done("row")
    # After any error the document stays: if the connection is lost during the commit, nobody knows whether the row
    # is there, and a row must never be without its document. The cleanup deletes documents without a row.
    wake.wake(upload.locale)
    return Accepted(upload, duplicate=False, took_s=steps.took_s)
