"""Merged uploads read once more from their documents: in batches like a worker's, wherever the documents lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import BinaryIO

from django.conf import settings

from ingest import spool, work
from ingest.models import Upload
from ingest.parse import Document, Unreadable


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


class Unreachable(Unreadable):
    """A document is not where it should be, or its store does not give it out: it may do so later."""


def document(no: int, upload: Upload) -> Document:
    """Return an upload as the reader takes it; one whose document can't be had proves `Unreachable`."""
    return work.document(no, upload)._replace(open=partial(_opened, no, upload))


@contextmanager
def _opened(no: int, upload: Upload) -> Iterator[BinaryIO]:
    """Open a document wherever it is: it may be moved to the archive between the look at its row and now."""
    try:
        with ExitStack() as stack:
            for storage in (spool.archive(), spool.spool(), spool.archive()):
                with suppress(FileNotFoundError):
                    found = stack.enter_context(spool.opened(storage, upload.document))
                    break
            else:
                raise Unreachable(no, f"its document {upload.document} is not in the archive")
            yield found
    except OSError as error:
        raise Unreachable(no, f"its document can't be read ({type(error).__name__}: {error})") from error
