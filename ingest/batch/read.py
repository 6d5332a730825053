"""Read uploads into a batch that can be staged: open their documents, parse them into columns, intern their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from functools import partial
from typing import BinaryIO

from django.conf import settings

from ingest.batch.columns import parse
from ingest.batch.intern import intern
from ingest.batch.observations import Document, Interned, Member, Unreadable
from ingest.intake import spool
from ingest.models import Upload

_EPOCH = date(1970, 1, 1)
#: Called with an upload that can't be read, and the reason.
OnUnreadable = Callable[[Upload, Unreadable], object]


class Unavailable(Unreadable):
    """A document is not in its store, or the store does not return it: a later try may succeed."""


def read(
    alias: str, batch: list[Upload], on_unreadable: OnUnreadable, *, skip_unavailable: bool = False
) -> tuple[list[Member], Interned | None]:
    """Read a batch; uploads that can't be read leave it, and `on_unreadable` is called with the reason.

    Return the members of the batch and its interned columns, or `([], None)` if no upload is left.
    A document that its store does not return raises OSError. With `skip_unavailable` its upload leaves the batch
    instead, as `Unavailable`.
    """
    opened = _open_if_available if skip_unavailable else _open
    while batch:
        try:
            observations = parse(
                Document(no, upload.version, _day(upload.received_at), partial(opened, no, upload))
                for no, upload in enumerate(batch)
            )
        except Unreadable as fault:
            on_unreadable(batch.pop(fault.no), fault)
            continue
        members = [
            Member(no, upload.id, bytes(upload.content_hash), upload.sender, _day(upload.received_at))
            for no, upload in enumerate(batch)
        ]
        return members, intern(alias, observations, [member.sender for member in members])
    return [], None


def batches(uploads: Sequence[Upload]) -> Iterator[list[Upload]]:
    """Split uploads into batches as large as those that workers claim."""
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
def _open(no: int, upload: Upload) -> Iterator[BinaryIO]:
    with spool.open_document(upload.document_name, archived=upload.archived) as document:
        yield document


@contextmanager
def _open_if_available(no: int, upload: Upload) -> Iterator[BinaryIO]:
    try:
        with _open(no, upload) as document:
            yield document
    except FileNotFoundError:
        raise Unavailable(no, f"its document {upload.document_name} is not in the archive") from None
    except OSError as error:
        raise Unavailable(no, f"its document can't be read ({type(error).__name__}: {error})") from error


def _day(moment: datetime) -> int:
    """Return a moment's day in UTC, counted from 1970-01-01."""
    return (moment.astimezone(UTC).date() - _EPOCH).days
