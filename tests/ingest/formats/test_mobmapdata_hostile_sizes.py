"""Reading time is linear in a text's length, whatever it contains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from time import thread_time
from typing import Any

import pytest

from core.problems import Problem
from ingest.batch.xml_columns import XmlColumns
from ingest.formats.mobmapdata import fast_path, grammar, slow_path
from ingest.formats.mobmapdata.fast_path import NotExtractable
from ingest.formats.mobmapdata.grammar import BadLootName
from ingest.formats.mobmapdata.locate import _tags
from ingest.formats.mobmapdata.precheck import precheck
from ingest.formats.mobmapdata.unwrap import unwrap
from tests.ingest.factories import MIB, document, loot, mob, zone

#: Quadratic work on so many characters takes minutes.
LENGTH = 1 << 17
#: Linear work takes some dozens at most.
AT_MOST_PASSES = 500


def passes(read: Callable[[], Any]) -> float:
    """Return how much processor time reading takes, as a multiple of an empty loop of length `LENGTH`."""
    began = thread_time()
    with suppress(Problem, BadLootName, NotExtractable):
        read()
    took = thread_time() - began
    began = thread_time()
    for _ in range(LENGTH):
        pass
    return took / (thread_time() - began)


def filled(part: str, end: str = "") -> str:
    return part * (LENGTH // len(part)) + end


NAMES = [
    filled("#1", "Z"),
    filled("#1", "Z#0"),
    filled("1#1#"),
    filled("#-1#1"),
    filled("#1#1#1#1#1.", "#0"),
    filled("#"),
]
NAMES += ["n0x" + filled("0", "g"), filled("|"), filled("|uum"), filled("A#0#")]


@pytest.mark.parametrize("version", grammar.VERSIONS)
@pytest.mark.parametrize("name", NAMES, ids=lambda name: name[:12])
def test_names_of_loot(name: str, version: int) -> None:
    assert passes(lambda: grammar.loot_fields(name, version)) < AT_MOST_PASSES
    assert passes(lambda: grammar.source_of(name, True, version)) < AT_MOST_PASSES
    assert passes(lambda: grammar.instance(name)) < AT_MOST_PASSES


TEXTS = [
    "+",
    "5",
    "+5#",
    "5#",
    "+1:0:0:1#",
    "1:0:0:",
    "+1:0:0:1:zzzzzz#",
    "2147483647#",
    "+1:-",
    "1/1,",
    "1",
    "1.",
    "/",
    ",",
]


@pytest.mark.parametrize("end", ["", "!", "#", ","])
@pytest.mark.parametrize("part", TEXTS)
def test_texts_whole_and_broken(part: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "PIECE", LENGTH)  # long texts are matched in pieces, which would hide it
    text = filled(part, end)

    def read() -> None:
        with suppress(ValueError):
            slow_path.coordinates(text)
        for version in (42, 44):
            with suppress(ValueError):
                slow_path.lootings("+" + text, version)

    assert passes(read) < 2 * AT_MOST_PASSES


ELEMENTS = [
    *('<Loot name="', '<Loot name="a#1', '<Loot name="a#1#1#Z#0">+1#', '<Loot name="a#1#1#Z#0">+1:0:0:1'),
    *(
        '<Mob name="',
        mob(zone()).removesuffix("</Zone></Mob>"),
        mob(zone()).removesuffix("</Mob>"),
        zone(),
        mob(zone()),
    ),
    *(loot(), "<", ">", '"', "#", "<MobMapData ", '<MobMapData version="4', "=", "&", "&amp;"),
]


@pytest.mark.parametrize("part", ELEMENTS)
@pytest.mark.parametrize(
    "begin", ["", '<Loot name="n0x1#1#1#Z#0">+', mob(zone()).removesuffix("</Zone></Mob>"), "<Mob "]
)
def test_documents_on_the_fast_path(begin: str, part: str) -> None:
    for version in (42, 44):
        written = document(begin + filled(part), version=version)
        assert passes(lambda: fast_path.extract(written)) < AT_MOST_PASSES  # noqa: B023  (called at once)
        assert passes(lambda: list(precheck(iter([written])))) < AT_MOST_PASSES  # noqa: B023


@pytest.mark.parametrize(
    "written",
    [
        document(mob(*(zone(name=f"Z{number}") for number in range(3_500))).removesuffix("</Mob>")),
        document(*[loot("+" * grammar.PIECE)] * 2),
        document(*[loot("+5#6#" * (grammar.PIECE // 5))] * 2),
        document(mob(*[zone("10.0/10," * (grammar.PIECE // 8))] * 2)),
    ],
    ids=["names of zones in a broken creature", "lootings of nothing", "lootings", "coordinates"],
)
def test_lists_on_the_fast_path(written: bytes) -> None:
    assert passes(lambda: fast_path.extract(written)) < AT_MOST_PASSES


@pytest.mark.parametrize(
    "written",
    [
        document(*[loot("+5#" * 1000, "n0x1#1#1#Z&amp;#0")] * 80),
        document(loot("+&#53;#" * 30_000)),
        document(loot("+" + "".join(f"{item}:0:0:1#" for item in range(10_000, 20_000)))),
        document(loot("+" + "".join(f"{item}:0:0:1#" for item in range(10_000, 20_000)) + "&#43;")),
    ],
    ids=["a reference in the names", "references in a text", "a looting of many items", "one on the slow path"],
)
def test_documents_read_by_workers(written: bytes) -> None:
    assert passes(lambda: XmlColumns().collect(BytesIO(written), 0, 44)) < AT_MOST_PASSES


@pytest.mark.parametrize(
    "start", [b"\xef\xbb\xbf", b"\xef\xbb\xbf ", b" ", b"\xef\xbb", b"P", b"PA==", b"<", b"<?xml "]
)
def test_what_a_body_begins_with(start: bytes) -> None:
    def pieces() -> Iterator[bytes]:
        yield start * (LENGTH // len(start))
        yield b""

    assert passes(lambda: list(precheck(unwrap(pieces(), "", MIB, MIB)))) < AT_MOST_PASSES


def test_a_document_is_located_a_tag_at_a_time_and_not_a_bracket_at_a_time() -> None:
    written = document(loot(filled(">"), "A" + filled(">")))
    pieces = list(_tags(BytesIO(written)))
    assert b"".join(pieces) == written
    assert len(pieces) <= written.count(b"<") + len(written) // (1 << 16) + 1
