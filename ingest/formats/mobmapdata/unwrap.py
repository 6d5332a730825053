"""From a body as sent to the XML inside: gzip or zstd, Base64, byte-order marks, with a limit at every step.

Everything is a stream of chunks, so that a bomb costs no more memory than one chunk.
"""

from __future__ import annotations

import binascii
import re
import zlib
from collections.abc import Iterator
from typing import cast

import zstandard

from ingest.formats.mobmapdata.precheck import SEEMS_UTF_16
from ingest.problems import (
    BadBase64,
    BadCompression,
    EmptyBody,
    NotUtf8,
    NotXmlNorBase64,
    TooLarge,
    UnsupportedEncoding,
)

CHUNK = 1 << 16
#: The form of a body is decided by its start, which is read as one piece: an XML declaration fits into it.
START = 1 << 10
#: Base64 is 4/3 of its document, line breaks and blanks aside.
BASE64_GROWTH = 1.45
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff", b"<\x00", b"\x00<")
_BLANKS = b" \t\r\n\v\f"
_start = re.compile(rb"(?>(?:[ \t\r\n\v\f]++|\xef\xbb\xbf)*)").match
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
#: zstd frames may ask the reader for a window of gigabytes; the largest document needs 32 MiB.
_ZSTD_MAX_WINDOW = 1 << 25
#: Four bytes of zstd may stand for a block of 128 KiB: small slices bound what one call can return.
_ZSTD_SLICE = 128


def unwrap(body: Iterator[bytes], content_encoding: str, max_body: int, max_document: int) -> Iterator[bytes]:
    """Yield the XML within a body, in chunks.

    `content_encoding` is the header's value; without one a file that begins like gzip or zstd is
    unpacked too. Raises a `Problem` of `ingest.problems` for everything that can be wrong on the way.
    """
    chunks = limit(body, max_body, "as sent")
    encoding = content_encoding.strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip", "zstd"}:
        raise UnsupportedEncoding(
            f"Content-Encoding {content_encoding[:60]!r} is not known here; send gzip, zstd or none."
        )
    first, chunks = _peek(chunks)
    if not first:
        raise EmptyBody("No data arrived. Send the export text or the file that holds it.")
    if encoding in {"gzip", "x-gzip"} or (not encoding and first.startswith(_GZIP)):
        chunks = limit(_gunzip(chunks), int(max_document * BASE64_GROWTH), "unpacked")
    elif encoding == "zstd" or (not encoding and first.startswith(_ZSTD)):
        chunks = limit(_unzstd(chunks), int(max_document * BASE64_GROWTH), "unpacked")
    first, chunks = _peek(_strip_start(chunks))
    if not first:
        raise EmptyBody("The upload holds nothing but blanks. Send the export text or the file that holds it.")
    if first.startswith(_UTF16):
        raise NotUtf8(SEEMS_UTF_16)
    if not first.startswith(b"<"):
        chunks = _strip_start(_debase64(chunks))
    return limit(chunks, max_document, "as XML")


def limit(chunks: Iterator[bytes], max_bytes: int, stage: str) -> Iterator[bytes]:
    """Pass chunks on until more than `max_bytes` have come; then raise `TooLarge`."""
    seen = 0
    for chunk in chunks:
        seen += len(chunk)
        if seen > max_bytes:
            raise TooLarge(
                f"The upload is larger than {max_bytes:,} bytes {stage}, which is the limit. "
                "Clear the addon's data after a successful upload and send smaller exports.",
                limit_bytes=max_bytes,
            )
        yield chunk


def _peek(chunks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return at least four bytes of the start (where there are as many) and the whole stream again."""
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= 4:
            break

    def again() -> Iterator[bytes]:
        yield from held
        yield from chunks

    return b"".join(held)[: CHUNK if size else 0], again()


def _strip_start(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Drop byte-order marks and blanks before the first other byte; yield at least `START` bytes first."""
    held = b""
    for chunk in chunks:
        held += chunk
        held = held[cast("re.Match[bytes]", _start(held)).end() :]
        if len(held) >= START:
            yield held
            yield from chunks
            return
    if held:
        yield held


def _gunzip(chunks: Iterator[bytes]) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    between = False  # gzip allows several members in a row
    try:
        for chunk in chunks:
            data = chunk
            while data:
                if member.eof:
                    member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
                between = False
                out = member.decompress(data, CHUNK)
                if out:
                    yield out
                if member.eof:
                    data, between = member.unused_data, True
                else:
                    data = member.unconsumed_tail
                    if not data and len(out) == CHUNK:
                        # The output was limited to a chunk's size with all input consumed: more may follow.
                        while out := member.decompress(b"", CHUNK):
                            yield out
    except zlib.error as error:
        raise BadCompression(f"The gzip data can't be unpacked: {error}. Compress the file again.") from None
    if not between:
        raise BadCompression("The gzip data end too early. The transfer may have been cut off; send it again.")


def _unzstd(chunks: Iterator[bytes]) -> Iterator[bytes]:
    decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_MAX_WINDOW)
    frame = decompressor.decompressobj()
    between = False
    try:
        for chunk in chunks:
            for start in range(0, len(chunk), _ZSTD_SLICE):
                data = chunk[start : start + _ZSTD_SLICE]
                while data:
                    if frame.eof:
                        frame = decompressor.decompressobj()
                    out = frame.decompress(data)
                    if out:
                        yield out
                    between = frame.eof
                    data = frame.unused_data if frame.eof else b""
    except zstandard.ZstdError as error:
        raise BadCompression(f"The zstd data can't be unpacked: {error}. Compress the file again.") from None
    if not between:
        raise BadCompression("The zstd data end too early. The transfer may have been cut off; send it again.")


def _debase64(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Decode Base64 with any blanks, line breaks and byte-order marks in or around it."""
    rest = b""
    begun = padded = False
    offset = 0
    for chunk in chunks:
        text = rest + chunk.translate(None, _BLANKS + _BOM)
        whole = len(text) // 4 * 4
        ready, rest = text[:whole], text[whole:]
        if not ready:
            continue
        if padded:
            raise BadBase64(
                f"There is more text after the Base64 ended, at character {offset:,}. Copy the export again."
            )
        try:
            data = binascii.a2b_base64(ready, strict_mode=True)
        except binascii.Error as error:
            raise _base64_fault(ready, offset, begun, str(error)) from None
        if not begun and (head := data.lstrip(_BLANKS + _BOM)):
            if not head.startswith(b"<"):
                raise _not_ours(ready)
            begun = True
        padded = ready.endswith(b"=")
        offset += whole
        yield data
    if rest:
        if not begun:
            raise _not_ours(rest)
        raise BadBase64(
            f"The Base64 text ends within a group of four, after {offset + len(rest):,} characters. "
            "It was probably cut off while copying; select all of the export window's text."
        )


def _base64_fault(ready: bytes, offset: int, begun: bool, error: str) -> BadBase64 | NotXmlNorBase64:
    if not begun and not _begins_like_xml(ready[:4]):
        return _not_ours(ready)
    for index, byte in enumerate(ready):
        if byte not in _BASE64:
            return BadBase64(
                f"Character {offset + index + 1:,} of the Base64 text, {chr(byte)!r}, does not belong there. "
                "Copy the export again."
            )
    return BadBase64(f"The Base64 text is damaged after character {offset:,} ({error}). Copy the export again.")


def _begins_like_xml(head: bytes) -> bool:
    try:
        return binascii.a2b_base64(head, strict_mode=True).startswith((b"<", _BOM))
    except binascii.Error:
        return False


def _not_ours(head: bytes) -> NotXmlNorBase64:
    shown = head[:24].decode("ascii", "replace")
    # Bytes of a picture or an archive mean nothing to a player.
    readable = all(one.isprintable() or one.isspace() for one in shown)
    begins = f"begins with {shown!r}" if readable else "is not UTF-8 text"
    return NotXmlNorBase64(
        f"The upload {begins}. Send the text of the addon's export window as it is (Base64), or the XML inside it."
    )
