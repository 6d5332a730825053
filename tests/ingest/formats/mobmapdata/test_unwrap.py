"""From a body as sent to the XML inside, in whatever pieces it arrives."""

from __future__ import annotations

import base64
import gzip
import tracemalloc
import zlib
from collections.abc import Iterator

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from core.problems import Problem
from ingest.formats.mobmapdata.unwrap import unwrap
from ingest.problems import (
    BadBase64,
    BadCompression,
    EmptyBody,
    NotUtf8,
    NotXmlNorBase64,
    TooLarge,
    UnsupportedEncoding,
)
from tests.ingest.factories import MIB, WRAPPINGS, document, mob, open_body, zone

XML = document(mob(zone("21.6/33,"), name="Köchin"))
LONG = document(mob(zone("".join(f"{i % 100}.{i % 10}/{i % 97}," for i in range(40_000)))))


def opened(body: bytes, encoding: str = "", max_body: int = 46 * MIB, max_document: int = 32 * MIB) -> bytes:
    return b"".join(unwrap(iter([body]), encoding, max_body, max_document))


def in_pieces(body: bytes, cuts: list[int]) -> Iterator[bytes]:
    ends = sorted({cut % (len(body) + 1) for cut in cuts} | {len(body)})
    start = 0
    for end in ends:
        if end > start:
            yield body[start:end]
        start = end


def outcome(pieces: Iterator[bytes]) -> bytes | str:
    try:
        return b"".join(unwrap(pieces, "", 46 * MIB, 32 * MIB))
    except Problem as problem:
        return problem.code


@pytest.mark.parametrize("wrapping", sorted(WRAPPINGS))
def test_every_wrapping_holds_the_same_document(wrapping: str) -> None:
    found = open_body(WRAPPINGS[wrapping](XML))
    assert found.removeprefix(b"<?xml version='1.0' encoding='UTF-8'?>").rstrip() == XML


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(WRAPPINGS)), st.lists(st.integers(0, 2000), max_size=12))
def test_any_pieces_give_the_same_document(wrapping: str, cuts: list[int]) -> None:
    body = WRAPPINGS[wrapping](XML)
    assert outcome(in_pieces(body, cuts)) == outcome(iter([body]))


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=40),
        st.binary(max_size=40).map(base64.encodebytes),
        st.text("PD94bWw=\r\n <?\ufeff", max_size=30).map(str.encode),
        st.sampled_from([gzip.compress(XML), base64.b64encode(XML), XML]).flatmap(
            lambda body: st.tuples(st.just(body), st.integers(0, len(body) - 1), st.binary(max_size=3)).map(
                lambda parts: parts[0][: parts[1]] + parts[2] + parts[0][parts[1] :]
            )
        ),
    ),
    st.lists(st.integers(0, 2000), max_size=8),
)
def test_any_pieces_of_a_bad_body_are_refused_for_the_same_cause(body: bytes, cuts: list[int]) -> None:
    assert outcome(in_pieces(body, cuts)) == outcome(iter([body]))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 127, 128, 129, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("wrapping", ["gzip", "zstd", "gzip of base64", "zstd of base64", "base64 with line breaks"])
def test_long_documents_come_out_whole_at_every_size_of_chunk(wrapping: str, size: int) -> None:
    body = WRAPPINGS[wrapping](LONG)
    if len(body) // size < 200_000:
        assert open_body(body, chunk=size) == LONG


@pytest.mark.parametrize("level", [0, 1, 9])
def test_gzip_of_any_level_and_any_length_comes_out_whole(level: int) -> None:
    for length in [65_535, 65_536, 65_537, 131_072, 200_000]:
        xml = b"<" + b"x" * (length - 1)
        assert opened(gzip.compress(xml, level)) == xml


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "GZIP", " gzip "])
def test_a_content_encoding_is_known_in_any_case(encoding: str) -> None:
    assert opened(gzip.compress(XML), encoding) == XML


def test_a_plain_body_may_say_that_it_is() -> None:
    assert opened(XML, "identity") == XML


@pytest.mark.parametrize(
    ("body", "encoding", "problem"),
    [
        (b"", "", EmptyBody),
        (b" \r\n\t", "", EmptyBody),
        (b"\xef\xbb\xbf", "", EmptyBody),
        (gzip.compress(b""), "", EmptyBody),
        (XML, "br", UnsupportedEncoding),
        (XML, "gzip, gzip", UnsupportedEncoding),
        (XML, "gzip", BadCompression),
        (XML, "zstd", BadCompression),
        (gzip.compress(XML)[:-1], "", BadCompression),
        (gzip.compress(XML)[:-8] + b"12345678", "", BadCompression),
        (gzip.compress(XML) + b"x", "", BadCompression),
        (zlib.compress(XML), "gzip", BadCompression),
        (zstandard.compress(XML)[:-1], "", BadCompression),
        (zstandard.compress(XML) + b"x", "", BadCompression),
        (XML.decode().encode("utf-16"), "", NotUtf8),
        (XML.decode().encode("utf-16-le"), "", NotUtf8),
        (b"Hello, this is my data", "", NotXmlNorBase64),
        (b"{}", "", NotXmlNorBase64),
        (base64.b64encode(b"Hello, this is my data"), "", NotXmlNorBase64),
        (base64.b64encode(gzip.compress(XML)), "", NotXmlNorBase64),
        (base64.b64encode(XML)[:-3], "", BadBase64),
        (base64.b64encode(XML) + b"QUJD", "", BadBase64),
        (base64.b64encode(XML)[:40] + b"*" + base64.b64encode(XML)[40:], "", BadBase64),
    ],
)
def test_a_body_that_cannot_be_opened_says_why(body: bytes, encoding: str, problem: type[Problem]) -> None:
    with pytest.raises(problem):
        opened(body, encoding)


def test_a_body_larger_than_the_limit_is_refused_before_it_is_read_to_its_end() -> None:
    read = []

    def body() -> Iterator[bytes]:
        for _ in range(1000):
            read.append(1)
            yield b"<" * 1000

    with pytest.raises(TooLarge, match="as sent"):
        list(unwrap(body(), "", 10_000, 1_000_000))
    assert len(read) <= 12


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_body_is_unpacked_no_further_than_the_limit(pack) -> None:
    bomb = pack(b"<" + b" " * 300 * MIB)
    tracemalloc.start()
    with pytest.raises(TooLarge):
        for _ in unwrap(iter([bomb]), "", 46 * MIB, 32 * MIB):
            pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * MIB


def test_the_document_is_limited_apart_from_its_base64() -> None:
    body = base64.encodebytes(XML)
    assert opened(body, max_document=len(XML)) == XML
    with pytest.raises(TooLarge, match="as XML"):
        opened(body, max_document=len(XML) - 1)


def test_the_refusal_names_the_limit() -> None:
    with pytest.raises(TooLarge) as refused:
        opened(XML, max_document=10)
    assert refused.value.members["limit_bytes"] == 10
