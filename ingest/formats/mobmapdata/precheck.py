"""The precheck: what must hold for a document's bytes before an XML parser may read them.

In a well-formed document each `<` begins a tag, so a plain search finds every DOCTYPE, comment, CDATA section and
processing instruction, and the distance between two of them bounds the attributes that a parser would have to hold.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest.problems import InvalidDocument, NotUtf8

#: The widest valid tag, a quest comment of four texts full of `=`, has some 16,000.
MAX_EQUALS_PER_TAG = 20_000
#: Of a tag and its text, unless that is plain ASCII without references, as lists of coordinates are. A quest comment
#: may take 150,000. With a schema libxml2 copies a text again for each reference and every few hundred other letters.
MAX_TAG_BYTES = 200_000
SEEMS_UTF_16 = "The document seems to be UTF-16. Save it as UTF-8 and send it again."

_declaration = re.compile(
    rb"""<\?xml\s+version\s*=\s*(?:"1\.[0-9]"|'1\.[0-9]')"""
    rb"""(?:\s+encoding\s*=\s*(?:"([A-Za-z0-9._-]+)"|'([A-Za-z0-9._-]+)'))?"""
    rb"""(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>"""
)
_forbidden = re.compile(rb"<(?:!(DOCTYPE|--|\[CDATA\[|)|(\?))", re.IGNORECASE)
_CODES = {
    b"DOCTYPE": ("doctype", "a DOCTYPE; documents here need none, and entities are never expanded"),
    b"--": ("comment", "a comment"),
    b"[CDATA[": ("cdata", "a CDATA section"),
    b"": ("doctype", "a markup declaration"),
    b"?": ("processing-instruction", "a processing instruction"),
}


class _Tag(NamedTuple):
    """Size of the open tag, with the text behind it, so far."""

    equals: int = 0
    size_bytes: int = 0


def precheck(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a document's chunks unchanged; raises `NotUtf8` or `InvalidDocument` at what must not be parsed."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    tail = b""  # a `<` that ended the previous chunk
    offset = 0
    tag = _Tag()
    for chunk in chunks:
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError as error:
            raise NotUtf8(
                f"Near byte {offset + error.start + 1:,} is something that is not UTF-8. "
                "Save the file as UTF-8, or send the export text itself."
            ) from None
        _check_constructs(tail + chunk, offset - len(tail))
        tag = _check_tags(chunk, tag, offset)
        offset += len(chunk)
        tail = b"<" if chunk.endswith(b"<") else b""
        yield chunk
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise NotUtf8("The document ends within a character. It was probably cut off; send it again.") from None


def _check_constructs(data: bytes, start: int) -> None:
    position = 0
    if start == 0:
        # Latin letters in UTF-16 are valid UTF-8, too, and a parser reads `<`, NUL, `?`, NUL as a declaration:
        # it would then find a DOCTYPE that a search for one misses.
        if b"\0" in data[:4]:
            raise NotUtf8(SEEMS_UTF_16)
        declared = _declaration.match(data)
        if declared:
            position = declared.end()
            encoding = declared[1] or declared[2] or b"utf-8"
            if encoding.lower() not in {b"utf-8", b"utf8"}:
                raise _fault("encoding", f"line 1: the declared encoding is {encoding.decode()}; it must be UTF-8")
    found = _forbidden.search(data, position)
    if found:
        code, what = _CODES[(found[2] or found[1]).upper()]
        raise _fault(code, f"byte {start + found.start() + 1:,}: {what}", where=f"byte {start + found.start() + 1}")


def _check_tags(chunk: bytes, tag: _Tag, offset: int) -> _Tag:
    """Return the tag that is open at the chunk's end; `tag` is the one at its start."""
    first, last = chunk.find(b"<"), chunk.rfind(b"<")
    size_bytes = tag.size_bytes + (len(chunk) if first == -1 else first)
    if size_bytes > MAX_TAG_BYTES:
        rest = chunk if first == -1 else chunk[:first]
        if not rest.isascii() or b"&" in rest:
            message = f"a text of {size_bytes:,} bytes that is not plain ASCII without references"
            raise _fault("text-too-long", f"near byte {offset + 1:,}: {message}")
    if first == -1:
        equals = tag.equals + chunk.count(b"=")
        widest = equals
    else:
        widest = tag.equals + chunk.count(b"=", 0, first)
        if chunk.count(b"=") > MAX_EQUALS_PER_TAG:
            widest = max(widest, *(one.count(b"=") for one in chunk[first:].split(b"<")))
        equals = chunk.count(b"=", last)
        size_bytes = len(chunk) - last
    if widest > MAX_EQUALS_PER_TAG:
        raise _fault("too-many-attributes", f"near byte {offset + 1:,}: a tag with thousands of attributes")
    return _Tag(equals, size_bytes)


def _fault(code: str, message: str, where: str = "document") -> InvalidDocument:
    return InvalidDocument(
        "The document holds something that is never accepted here; nothing of it was read.",
        errors=[{"where": where, "code": code, "message": message}],
    )
