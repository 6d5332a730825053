"""Merged uploads read once more from their documents: in batches like a worker's, wherever the documents lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, BinaryIO

from django.conf import settings
from django.db import transaction

from ingest.batch.columns import Document, Unreadable
from ingest.intake import spool
from ingest.merge import hot_tables
from ingest.merge.sql import load
from ingest.models import Upload
from ingest.queue import worker


def batches(uploads: Sequence[Upload]) -> Iterator[list[Upload]]:
    """Cut uploads into batches like a worker's."""
    batch: list[Upload] = []
    size_bytes = 0
    for upload in uploads:
        too_large = size_bytes + upload.size_bytes > settings.BATCH_MAX_BYTES
        if batch and (too_large or len(batch) == settings.BATCH_MAX_UPLOADS):
            yield batch
            batch, size_bytes = [], 0
        batch.append(upload)
        size_bytes += upload.size_bytes
    if batch:
        yield batch


@contextmanager
def staging_room(alias: str, cursor: Any) -> Iterator[None]:
    """Make temporary tables of this session to stage into, in the shape of the hot ones.

    A transaction of its own, as their making locks the hot ones.
    """
    with transaction.atomic(using=alias):
        hot_tables.use_ram_for_temporary(alias, cursor)
        for name in ("drop_staging_tables.sql", "staging_tables.sql"):
            cursor.execute(load(name))
    try:
        yield
    finally:
        # A connection that is lost has taken them with it; in a broken transaction they were never there.
        with suppress(*hot_tables.ERRORS):
            cursor.execute(load("drop_staging_tables.sql"))


class Unreachable(Unreadable):
    """A document is not where it should be, or its store does not give it out: it may do so later."""


def document(no: int, upload: Upload) -> Document:
    """Return an upload as the reader takes it; one whose document can't be had proves `Unreachable`."""
    return worker.document(no, upload)._replace(open=partial(_opened, no, upload))


@contextmanager
def _opened(no: int, upload: Upload) -> Iterator[BinaryIO]:
    """Open a document wherever it is: it may be moved to the archive between the look at its row and now."""
    try:
        with ExitStack() as stack:
            for storage in (spool.archive(), spool.spool(), spool.archive()):
                with suppress(FileNotFoundError):
                    found = stack.enter_context(spool.opened(storage, upload.document_name))
                    break
            else:
                raise Unreachable(no, f"its document {upload.document_name} is not in the archive")
            yield found
    except OSError as error:
        raise Unreachable(no, f"its document can't be read ({type(error).__name__}: {error})") from error
