"""What the benchmarks' clients send: new documents that are valid, in the wrappings of players."""

from __future__ import annotations

import base64
import gzip
import io

import pytest

from bench.load import parse_head, parse_timing, variant
from bench.stream import plain, wrapped
from bench.upload import slowest_hundredth_ms
from ingest.formats.mobmapdata.validate import validate
from tests.ingest.factories import document, mob, zone

XML = document(mob(zone("1/1,2/2,")))


def test_variants_are_valid_and_new_with_the_same_counts():
    first, second = (validate(io.BytesIO(variant(XML, number))) for number in (0, 1))
    original = validate(io.BytesIO(XML))
    assert len({first.content_hash, second.content_hash, original.content_hash}) == 3
    assert first.positions == second.positions == original.positions == 2


@pytest.mark.parametrize("number", range(6))
def test_every_wrapping_holds_the_document(number):
    body, headers = wrapped(XML, number)
    if headers.get("Content-Encoding") == "gzip":
        body = gzip.decompress(body)
    assert plain(body) == XML


def test_a_base64_file_is_read_as_its_document():
    assert plain(base64.b64encode(XML)) == XML


def test_the_slowest_hundredth_is_split_into_steps():
    steps = [parse_timing("check;dur=50, row;dur=10.5"), parse_timing("check;dur=1"), parse_timing("")]
    assert steps == [{"check": 50, "row": 10.5}, {"check": 1}, {}]
    assert slowest_hundredth_ms([0.2, 0.1, 0.15], steps) == {"wait": 139.5, "check": 50, "row": 10.5}
    assert slowest_hundredth_ms([0.3] * 250 + [0.5, 0.4], [{"check": 1.0}] * 250 + steps[:2]) == {
        "wait": (439.5 + 399) / 2,
        "check": 25.5,
        "row": 10.5,
    }


@pytest.mark.parametrize(("connection", "keep_alive"), [("keep-alive", True), ("close", False)])
def test_a_connection_is_closed_when_the_server_says_so(connection, keep_alive):
    headers = f"Connection: {connection}\r\nServer-Timing: row;dur=1\r\nContent-Length: 2"
    assert parse_head(f"HTTP/1.1 202 Accepted\r\n{headers}\r\n\r\n".encode()) == ("202", 2, {"row": 1.0}, keep_alive)
