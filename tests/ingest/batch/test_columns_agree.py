"""All readers agree: C scan and slow path, a document at once and in pieces, validation and workers.

What one reader takes all take, and find the same in it; what one refuses all refuse. Shown for every document that is
one character away from a valid one, for all short texts, and for all sizes of pieces.
"""

from __future__ import annotations

import struct
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import product
from typing import Any, BinaryIO

import numpy as np
import pytest

from core.problems import Problem
from ingest.batch import xml_columns
from ingest.batch.columns import parse
from ingest.batch.observations import Document
from ingest.formats.mobmapdata import grammar, records, slow_path
from ingest.formats.mobmapdata import validate as validation
from ingest.formats.mobmapdata.compiled import Columns
from ingest.formats.mobmapdata.fast_path import extract
from ingest.formats.mobmapdata.locate import locate
from ingest.formats.mobmapdata.precheck import precheck
from ingest.formats.mobmapdata.reading import Contents
from ingest.problems import InvalidDocument, NotWellFormed
from tests.ingest.batch import plainly
from tests.ingest.factories import OTHERS, contents, document, loot, mob, zone

RECEIVED_DAY = 20_000

#: Characters that end, begin, escape, double or widen something, and some that only look like another.
CHARACTERS = [character.encode() for character in '<>&"= \n#+:-.,/019nZ\0１']
CHARACTERS += [b"&#35;", b"&#48;", b"&quot;", b"00", b"HEROIC", b'" a="']

DOCUMENTS = {
    "42": document(
        mob(zone("1/1.0,", name="Z", level=None), id=None, name="A"),
        loot("+5#1:0:0:1#+", "nA#1#1.0#ZHEROIC"),
        loot("+7#", "ITEMi5#-1#-1#Z#5"),
        version=42,
    ),
    "43": document(loot("+1:0:0:1:Z#", "n0x1#1#1#Z"), loot("+5#", "HERBoA#1#1#Z#0"), version=43),
    "44": document(
        mob(zone("21.6/33,-1/-1,", name="|uuml|"), name="A&B"),
        loot("+5#+1:0:0:1:54Z#1#", "n0x1#1#1#Z#0"),
        loot("+7#", "FISH#1#2.0#Z#3"),
    ),
}
ROOT = document(loot("+5#", "n0x1#1#1#Z#0"))


def changed_by_one_character(whole: bytes, places: Iterable[int]) -> Iterator[bytes]:
    """Yield a document with each one of `CHARACTERS` inserted at each offset, and replacing the byte there."""
    for at in places:
        for character in CHARACTERS:
            yield whole[:at] + character + whole[at:]
            if len(character) == 1:
                yield whole[:at] + character + whole[at + 1 :]


def passes(written: bytes) -> bool:
    """Tell whether a parser may see a document."""
    try:
        return bool(b"".join(precheck(iter([written]))))
    except Problem:
        return False


def read(written: bytes, *, at_once: bool) -> Contents | None:
    """Return what one way of reading finds, None where it finds a fault."""
    try:
        return validation._read_whole(written) if at_once else validation._read_in_chunks(BytesIO(written))
    except validation.FAULTS:
        return None


def read_by_workers(written: Sequence[bytes], version: int) -> list[plainly.Facts]:
    """Return the facts that workers find in documents of a version."""

    @contextmanager
    def opened(one: bytes) -> Iterator[BinaryIO]:
        yield BytesIO(one)

    def opener(one: bytes) -> Any:
        return lambda: opened(one)

    found = parse(Document(no, version, RECEIVED_DAY, opener(one)) for no, one in enumerate(written))
    facts = plainly.facts_of(found)
    return [facts[no] for no in range(len(written))]


@pytest.mark.parametrize("whole", DOCUMENTS.values(), ids=DOCUMENTS)
def test_records_that_are_one_character_away_from_valid_ones_are_read_the_same_by_all(whole: bytes) -> None:
    all_agree(changed_by_one_character(whole, range(whole.index(b">") + 1, whole.rindex(b"<"))))


def test_a_root_that_is_one_character_away_from_a_valid_one_is_read_the_same_by_all() -> None:
    all_agree(changed_by_one_character(ROOT, (*range(ROOT.index(b">") + 2), *range(ROOT.rindex(b"<"), len(ROOT) + 1))))


def all_agree(documents: Iterable[bytes]) -> None:
    taken: dict[int, dict[bytes, Contents]] = {version: {} for version in grammar.VERSIONS}
    refused = []
    for written in filter(passes, documents):
        found = read(written, at_once=False)
        assert read(written, at_once=True) == found, written
        if found:
            taken[found.version][written] = found
        else:
            refused.append(written)
    assert len(refused) > 1000
    for written in refused[::25]:  # telling where a fault is takes ten times as long as finding one
        assert isinstance(locate(BytesIO(written)), InvalidDocument | NotWellFormed), written
    for version, contents_of in taken.items():
        agree_with_a_plain_reading(contents_of, version)


def agree_with_a_plain_reading(contents_of: dict[bytes, Contents], version: int) -> None:
    plain = [plainly.facts(written, RECEIVED_DAY) for written in contents_of]
    for found, facts in zip(contents_of.values(), plain, strict=True):
        counted = (found.mobs, found.positions, found.lootings)
        assert counted == tuple(facts[what,] for what in plainly.LISTED)
    for piece_bytes in (xml_columns.PIECE_BYTES, 50):
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(xml_columns, "PIECE_BYTES", piece_bytes)
            read_so = read_by_workers(list(contents_of), version)
        for written, facts, of_workers in zip(contents_of, plain, read_so, strict=True):
            assert plainly.same(facts, of_workers), written
    hash_of: dict[str, bytes] = {}
    for written, found in contents_of.items():
        assert hash_of.setdefault(repr(plainly.records(written)), found.content_hash) == found.content_hash, written
    assert len(set(hash_of.values())) == len(hash_of)


# --- all short texts ----------------------------------------------------------------------------------
def all_of(parts: Sequence[str], at_most: int) -> Iterator[str]:
    for number in range(at_most + 1):
        yield from map("".join, product(parts, repeat=number))


SLOTS = ["+", "5#", "7:0:0:1#", "7:0:0:1:Z#", "8:-1:-9999999999:0#", "2147483648#", "10:0", "5"]


@pytest.mark.parametrize("version", [42, 44])
def test_every_short_loot_text_is_the_same_to_all(version: int) -> None:
    loot_texts_agree({*all_of("+#:15", 6), *all_of(SLOTS, 5)}, version)


@pytest.mark.parametrize("version", [42, 44])
@pytest.mark.parametrize(
    "text",
    [
        "+5#+1:0:0:1#1:0:0:2#2147483647#+",
        "+10:-7:4294967295:20#5#0#10:0:0:1#+7:0:-9999999999:0#++64#",
        "+1:0:0:1:54Z#9:0:0:1:zzzzzz#+2147483647:-2147483647:0:2147483647:0#",
    ],
)
def test_every_loot_text_one_character_away_from_a_valid_one_is_the_same_to_all(text: str, version: int) -> None:
    changed = {text} | {text[:at] + text[at + 1 :] for at in range(len(text))}
    for one in changed_by_one_character(text.encode(), range(len(text) + 1)):
        if not set(b'<>&"') & set(one):
            changed.add(one.decode())
    loot_texts_agree(changed, version)


def loot_texts_agree(texts: Iterable[str], version: int) -> None:
    """Compare grammar, digests, columns, slow path and a plain reading for texts without XML's own characters."""
    empty, source = document(version=version), "n0x1#1#1#Z#0" if version == 44 else "nA#1#1#Z"
    for text in texts:
        written = document(loot(text, source), version=version)
        is_valid = grammar.is_loot_text(text, version)
        assert (extract(written).remainder == empty) == is_valid, text
        columns = Columns(written, version, 0, 0, defaultdict(int), defaultdict(int), {}, {})
        assert (columns.remainder == empty) == (is_valid and text != ""), text
        if not is_valid:
            assert grammar.loot_text_fault(text, version)
            with pytest.raises(ValueError, match=r"^(looting \d|the text begins)"):
                slow_path.lootings(text, version)
            continue
        found = slow_path.lootings(text, version)
        *_, lootings, money_lootings, copper, drops = struct.unpack("8q", columns.loots or bytes(64))
        scanned = (lootings, money_lootings, copper, array("i", columns.items))
        assert scanned == (*found[:3], found.items) and drops == len(found.items), text
        facts = plainly.facts(document(loot(text, "nA#1#1#Z"), version=42), RECEIVED_DAY)
        by_what = {
            what: sum(number for fact, number in facts.items() if fact[0] == what)
            for what in ("looted", "with money", "money")
        }
        assert found[:3] == tuple(by_what.values()), text
        plain_drops = {fact[-1]: number for fact, number in facts.items() if fact[0] == "dropped"}
        assert Counter(found.items) == plain_drops, text


def test_every_short_list_of_coordinates_is_the_same_to_all() -> None:
    axes = [*grammar._TENTHS]
    taken = [f"{axis}/{other}," for axis in axes for other in ("0", "9.9", "100.0", "-1")]
    taken += [f"{other}/{axis}," for axis in axes for other in ("0", "9.9", "100.0", "-1")]
    for text in {*all_of("01./,-", 6), *taken}:
        is_valid = grammar.is_coordinate_list(text)
        assert is_valid == (extract(document(mob(zone(text)))).remainder == document()), text
        if is_valid:
            taken.append(text)
        else:
            assert grammar.coordinate_fault(text)
    taken = list(filter(grammar.is_coordinate_list, taken))
    expected = [
        (number, plainly.pack(*entry.split("/"))) for number, text in enumerate(taken) for entry in text.split(",")[:-1]
    ]
    assert [(number, xy) for number, text in enumerate(taken) for xy in slow_path.coordinates(text)] == expected
    whole = document(*(mob(zone(text)) for text in taken))
    columns = Columns(whole, 44, 0, 0, {}, {}, defaultdict(int), defaultdict(str))
    zones = np.frombuffer(columns.zones, dtype=np.int64).reshape(-1, 4)
    mobs = np.repeat(zones[:, 0], zones[:, 3]).tolist()
    assert list(zip(mobs, np.frombuffer(columns.xy, np.int32).tolist(), strict=True)) == expected


# --- wherever a piece ends ----------------------------------------------------------------------------
LONG = document(
    mob(zone("1/1,2.0/2,-1/-1,", name="Z&Y"), zone("")),
    loot("+5#1:0:0:1:Z#+2:0:0:1#3#+", "OPENoA#B#1#1#Z#0"),
    loot("+5#1:0:0:1:Z#+2:0:0:1#3#+"),
    "\r\n",
    OTHERS[4],
)


@pytest.mark.parametrize("size", [*range(1, 40), *range(40, len(LONG), 9)])
def test_a_document_is_read_the_same_wherever_its_pieces_end(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counted, facts = contents(LONG), plainly.facts(LONG, RECEIVED_DAY)
    for module, name in ((validation, "CHUNK"), (xml_columns, "PIECE_BYTES")):
        monkeypatch.setattr(module, name, size)
    assert read(LONG, at_once=False) == counted
    [of_workers] = read_by_workers([LONG], 44)
    assert plainly.same(facts, of_workers)
    monkeypatch.setattr(grammar, "PIECE", size)
    in_pieces = read(LONG, at_once=False)
    assert in_pieces
    in_pieces.content_hash = counted.content_hash  # how long a text is that has a digest is a part of what a hash is
    assert in_pieces == counted


SEVERAL = document(
    mob(zone("1/1,2/2,", name="A"), zone("3/3,", name="B"), zone("4/4,", name="C"), name="M", id=1),
    *(mob(zone(f"{number}/1,", name="D"), name=f"N{number}", id=number) for number in (2, 3, 4)),
    mob(zone("5/5,", name="A"), zone("6/6,", name="B"), name="O", id=5, date=10_000),
)


@pytest.mark.parametrize("size", range(1, len(SEVERAL), 2))
def test_a_zone_stays_with_its_creature_wherever_a_piece_ends(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = plainly.facts(SEVERAL, RECEIVED_DAY)
    monkeypatch.setattr(xml_columns, "PIECE_BYTES", size)
    [of_workers] = read_by_workers([SEVERAL], 44)
    assert plainly.same(facts, of_workers)


def test_a_long_text_has_the_same_digest_in_any_order_and_another_with_any_other_content(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(grammar, "PIECE", 4)
    for short, form in (
        (all_of(["1/1,", "2/1.0,", "2/1,"], 6), records.sorted_coordinates),
        (all_of(["+", "5#", "6#"], 7), records.sorted_lootings),
    ):
        digests: dict[str, bytes] = {}
        for text in short:
            said = document(mob(zone(text))) if form is records.sorted_coordinates else document(loot(text))
            if len(text.replace(".0", "")) > 4 and read(said, at_once=True):
                digest = form(text.encode())
                assert digests.setdefault(repr(plainly.records(said)), digest) == digest, text
        assert len(digests) == len(set(digests.values())) > 20
