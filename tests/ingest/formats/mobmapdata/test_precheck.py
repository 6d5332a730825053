"""What must be known about a document's bytes before a parser sees them."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.problems import Problem
from ingest.formats.mobmapdata.precheck import MAX_EQUALS_PER_TAG, MAX_TAG_BYTES, precheck
from ingest.problems import InvalidDocument, NotUtf8
from tests.ingest.factories import OTHERS, document, mob, open_body, zone

START = b'<?xml version="1.0" encoding="UTF-8"?><MobMapData language="deDE" version="44" gameversion="' + b"x" * 1000
XML = document(mob(zone("1/1,"), name="Köchin 🦌"), *OTHERS)


def pieces(body: bytes, size: int) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def refusal(body: bytes, size: int = 1 << 16) -> str:
    """Return the code of a body's refusal: that of its only error if there is one, else the problem's."""
    with pytest.raises(Problem) as refused:
        list(precheck(pieces(body, size)))
    errors = refused.value.errors
    return errors[0]["code"] if errors else refused.value.code


@settings(max_examples=100, deadline=None)
@given(st.integers(1, len(XML)))
def test_a_sound_document_passes_unchanged_in_pieces_of_any_size(size: int) -> None:
    assert b"".join(precheck(pieces(XML, size))) == XML


@pytest.mark.parametrize(
    "declaration",
    [
        '<?xml version="1.0"?>',
        "<?xml version='1.0' encoding='utf-8' ?>",
        '<?xml version = "1.0" encoding = "UTF8" standalone="yes"?>',
    ],
)
def test_a_declaration_of_utf_8_passes(declaration: str) -> None:
    body = declaration.encode() + XML
    assert b"".join(precheck(iter([body]))) == body


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'<?xml version="1.0" encoding="ISO-8859-1"?><a/>', "encoding"),
        (b'<?xml version="1.0" encoding="UTF-16"?><a/>', "encoding"),
        (b"<!DOCTYPE a><a/>", "doctype"),
        (b"<!doctype html><a/>", "doctype"),
        (b"<a><!ENTITY b 'c'></a>", "doctype"),
        (b"<a><!-- b --></a>", "comment"),
        (b"<a><![CDATA[b]]></a>", "cdata"),
        (b"<a><?b c?></a>", "processing-instruction"),
        (b"<a/><?xml version='1.0'?>", "processing-instruction"),
        (b" <?xml version='1.0'?><a/>", "processing-instruction"),
        (b"<?xml-stylesheet href='x'?><a/>", "processing-instruction"),
        (b"<?xml version='1.0' encoding='UTF-8' more='x'?><a/>", "processing-instruction"),
        # Valid UTF-8 as far as a search for constructs can tell.
        ("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>".encode("utf-16-le"), "not-utf8"),
        ("<?xml version='1.0' encoding='UTF-8'?><a/>".encode("utf-16-le"), "not-utf8"),
        ("<a/>".encode("utf-16-be"), "not-utf8"),
        ("<a/>".encode("utf-32-le"), "not-utf8"),
        (b"<a>\xff</a>", "not-utf8"),
        (b"<a>\xed\xa0\x80</a>", "not-utf8"),
        (b"<a>\xc0\xaf</a>", "not-utf8"),
        (b"<a>\xc3", "not-utf8"),
    ],
)
def test_what_no_parser_may_see_is_refused(body: bytes, code: str) -> None:
    assert refusal(body) == code


def test_a_document_in_utf_16_is_refused_in_whatever_it_is_wrapped() -> None:
    """In Base64 its second byte, a NUL, is seen only by who decodes it."""
    for body in (XML, b"<?xml version='1.0'?>" + XML):
        utf_16 = body.decode().replace("ö", "oe").replace("🦌", "").encode("utf-16-le")
        for wrapped in (utf_16, base64.b64encode(utf_16), gzip.compress(base64.encodebytes(utf_16))):
            with pytest.raises(NotUtf8, match="seems to be UTF-16"):
                open_body(wrapped)


@pytest.mark.parametrize("construct", [b"<!DOCTYPE a>", b"<!-- -->", b"<![CDATA[x]]>", b"<?php ?>", b"\xff", b"<!"])
def test_a_construct_is_found_wherever_pieces_end(construct: bytes) -> None:
    body = START + construct + b'"/>'
    for size in range(1, 40):
        assert refusal(START[:5] + construct + START[5:], size)
        # The start comes whole, whatever follows it.
        with pytest.raises((InvalidDocument, NotUtf8)):
            list(precheck(iter([body[: len(START)], *pieces(body[len(START) :], size)])))


def test_the_place_of_a_construct_is_reported_in_bytes() -> None:
    with pytest.raises(InvalidDocument) as refused:
        list(precheck(iter([b"<a>", b"\xc3\xa4", b"<", b"!-- b -->"])))
    [error] = refused.value.errors or []
    assert error["where"] == "byte 6"


@pytest.mark.parametrize("size", [100, 4096, 1 << 16])
def test_a_tag_with_more_attributes_than_any_record_has_is_refused_at_any_size_of_piece(size: int) -> None:
    tag = b"<Mob " + b'a="" ' * (MAX_EQUALS_PER_TAG + 1) + b"/>"
    assert refusal(START + b'">' + tag, size) == "too-many-attributes"


def test_many_tags_with_some_attributes_each_pass() -> None:
    body = START + b'">' + b'<Mob a="" b=""/>' * MAX_EQUALS_PER_TAG
    assert b"".join(precheck(pieces(body, 1 << 16))) == body


@pytest.mark.parametrize("size", [100, 4096, 1 << 16])
def test_a_long_text_of_references_or_letters_beyond_ascii_is_refused(size: int) -> None:
    loot = START + b'"><Loot name="">'
    for text in (b"&#43;" * MAX_TAG_BYTES, "ä".encode() * MAX_TAG_BYTES):
        assert refusal(loot + text, size) == "text-too-long"
        assert refusal(loot + b"+" * (MAX_TAG_BYTES + 1) + text[:10] + b"</Loot>", size) == "text-too-long"


def test_a_long_text_of_coordinates_and_many_references_apart_pass() -> None:
    body = (
        START + b'"><Mob name="\xc3\xa4"><Zone>' + b"1/1," * MAX_TAG_BYTES + b"</Zone></Mob>" + b"<a>&amp;</a>" * 30_000
    )
    assert b"".join(precheck(pieces(body, 1 << 16))) == body


@pytest.mark.parametrize("text", ["=" * 4_000, "&amp;" * 4_000, "🦌" * 4_000, "&#x1F98C;" * 4_000])
def test_the_widest_record_passes(text: str) -> None:
    body = f'<Questcomment timestamp="1" title="{text}" author="{text}" objective="{text}" text="{text}"/>'.encode()
    assert b"".join(precheck(pieces(body, 1000))) == body
