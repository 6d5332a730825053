"""The document of an upload, page by page or as a download. It is untrusted text and never used as markup."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from django.conf import settings

from ingest.intake import spool
from ingest.models import Upload

PAGE_BYTES = 200 * 1024
CHUNK_BYTES = 64 * 1024
#: A UTF-8 character has at most three bytes after its first one.
CONTINUATIONS = 3

#: Invisible characters, some of which hide or reorder the text around them (tab and line ends stay).
_CONTROLS = [*range(0x00, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)]
_MARKS = [0x061C, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF]
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROLS + _MARKS}


class DocumentMissing(Exception):
    """The document is in neither storage."""


def visible(text: str) -> str:
    """Return untrusted text with invisible characters escaped: a right-to-left override → `\\u202e`."""
    return text.translate(_ESCAPES)


@contextmanager
def opened(upload: Upload) -> Iterator[BinaryIO]:
    """Open an upload's document as a stream of XML, in either storage; raises `DocumentMissing`."""
    if not upload.document_name:
        raise DocumentMissing
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(spool.open_document(upload.document_name, archived=upload.archived))
        except FileNotFoundError:
            raise DocumentMissing from None
        yield stream


def page_count(upload: Upload) -> int:
    """Return how many pages an upload's document has, at least one."""
    return max(1, math.ceil(upload.size_bytes / PAGE_BYTES))


def page(upload: Upload, number: int) -> str:
    """Return page `number` (from 1) of a document: 200 KiB, cut between characters.

    Only that much is in memory: what comes before is read and dropped.
    """
    start = (number - 1) * PAGE_BYTES
    with opened(upload) as stream:
        for _dropped in _read(stream, start):
            pass
        data = b"".join(_read(stream, PAGE_BYTES + CONTINUATIONS))
    # A character cut by the end of a page belongs to that page, not to the next one.
    first = _continuations(data, 0) if start else 0
    return data[first : PAGE_BYTES + _continuations(data, PAGE_BYTES)].decode("utf-8", "replace")


def chunks(upload: Upload) -> Iterator[bytes]:
    """Yield a whole document in chunks; raises `DocumentMissing` at the first one."""
    with opened(upload) as stream:
        yield from _read(stream, settings.MAX_DOCUMENT_BYTES)


def _continuations(data: bytes, position: int) -> int:
    """Return how many bytes from `position` belong to a UTF-8 character that begins before it."""
    found = itertools.takewhile(lambda byte: byte & 0xC0 == 0x80, data[position : position + CONTINUATIONS])
    return len(list(found))


def _read(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the next `size` bytes of a stream, or fewer at its end."""
    while size > 0 and (chunk := stream.read(min(size, CHUNK_BYTES))):
        size -= len(chunk)
        yield chunk
