"""A document is read by a scan or element by element, at once or in pieces, at the door and behind it: all agree.

What one way takes all take, and find the same in it; what one refuses all refuse. Shown for every document that is one
sign away from a valid one, for all short texts, and for all sizes of pieces.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import product
from typing import Any, BinaryIO

import numpy as np
import pytest

from core.problems import Problem
from ingest.batch import texts, xml_columns
from ingest.batch.columns import Document, parse
from ingest.formats.mobmapdata import grammar, records
from ingest.formats.mobmapdata import validate as door
from ingest.formats.mobmapdata.compiled import Columns
from ingest.formats.mobmapdata.fast_path import cut
from ingest.formats.mobmapdata.locate import locate
from ingest.formats.mobmapdata.precheck import guard
from ingest.formats.mobmapdata.reading import Contents
from ingest.problems import InvalidDocument, NotWellFormed
from tests.ingest.batch import plainly
from tests.ingest.factories import OTHERS, contents, document, loot, mob, zone

RECEIVED_DAY = 20_000

#: Signs that end, begin, escape, double or widen something, and some that only look like another.
SIGNS = [sign.encode() for sign in '<>&"= \n#+:-.,/019nZ\0１']
SIGNS += [b"&#35;", b"&#48;", b"&quot;", b"00", b"HEROIC", b'" a="']

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


def changed_by_one_sign(whole: bytes, places: Iterable[int]) -> Iterator[bytes]:
    """Yield a document with each sign of `SIGNS` put in at each place, and in the place of what stands there."""
    for at in places:
        for sign in SIGNS:
            yield whole[:at] + sign + whole[at:]
            if len(sign) == 1:
                yield whole[:at] + sign + whole[at + 1 :]


def passes(written: bytes) -> bool:
    """Tell whether a parser may see a document."""
    try:
        return bool(b"".join(guard(iter([written]))))
    except Problem:
        return False


def read(written: bytes, *, at_once: bool) -> Contents | None:
    """Return what one way of reading finds, None where it finds a fault."""
    try:
        return door._read_whole(written) if at_once else door._read_in_chunks(BytesIO(written))
    except door.FAULTS:
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
def test_records_that_are_one_sign_away_from_valid_ones_are_read_the_same_by_all(whole: bytes) -> None:
    all_agree(changed_by_one_sign(whole, range(whole.index(b">") + 1, whole.rindex(b"<"))))


def test_a_root_that_is_one_sign_away_from_a_valid_one_is_read_the_same_by_all() -> None:
    all_agree(changed_by_one_sign(ROOT, (*range(ROOT.index(b">") + 2), *range(ROOT.rindex(b"<"), len(ROOT) + 1))))


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
def test_every_short_loot_text_is_the_same_to_grammar_scan_and_columns(version: int) -> None:
    empty, source = document(version=version), "n0x1#1#1#Z#0" if version == 44 else "nA#1#1#Z"
    taken = []
    for text in {*all_of("+#:15", 6), *all_of(SLOTS, 5)}:
        scanned = cut(document(loot(text, source), version=version)).rest == empty
        assert grammar.is_loot_text(text, version) == scanned, text
        if scanned:
            taken.append(text)
        else:
            assert grammar.loot_text_fault(text, version)
    found = texts.lootings([text.encode() for text in taken], np.arange(len(taken)), len(taken))
    drops: dict[int, set[tuple[int, int]]] = {group: set() for group in range(len(taken))}
    for group, *drop in zip(found.drop_group.tolist(), found.drop_item.tolist(), found.drops.tolist(), strict=True):
        drops[group].add((drop[0], drop[1]))
    for group, text in enumerate(taken):
        facts = plainly.facts(document(loot(text, "nA#1#1#Z"), version=42), RECEIVED_DAY)
        by_what = {
            what: sum(number for fact, number in facts.items() if fact[0] == what) for what in ("looted", "money")
        }
        assert (found.lootings[group], found.copper[group]) == (by_what["looted"], by_what["money"]), text
        assert drops[group] == {(fact[-1], number) for fact, number in facts.items() if fact[0] == "dropped"}, text


def test_every_short_list_of_coordinates_is_the_same_to_grammar_scan_and_columns() -> None:
    axes = [*grammar._TENTHS]
    taken = [f"{axis}/{other}," for axis in axes for other in ("0", "9.9", "100.0", "-1")]
    taken += [f"{other}/{axis}," for axis in axes for other in ("0", "9.9", "100.0", "-1")]
    for text in {*all_of("01./,-", 6), *taken}:
        assert grammar.is_coordinate_list(text) == (cut(document(mob(zone(text)))).rest == document()), text
        if grammar.is_coordinate_list(text):
            taken.append(text)
        else:
            assert grammar.coordinate_fault(text)
    taken = list(filter(grammar.is_coordinate_list, taken))
    index, xy = texts.coordinates([text.encode() for text in taken])
    expected = [
        (number, plainly.pack(*entry.split("/"))) for number, text in enumerate(taken) for entry in text.split(",")[:-1]
    ]
    assert list(zip(index.tolist(), xy.tolist(), strict=True)) == expected
    whole = document(*(mob(zone(text)) for text in taken))
    columns = Columns(whole, 44, 0, 0, {}, {}, defaultdict(int), defaultdict(str))
    found = np.frombuffer(columns.zones, dtype=np.int64).reshape(-1, 4)
    assert (
        list(
            zip(np.repeat(found[:, 0], found[:, 3]).tolist(), np.frombuffer(columns.xy, np.int32).tolist(), strict=True)
        )
        == expected
    )


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
    for module, name in ((door, "CHUNK"), (xml_columns, "PIECE_BYTES"), (texts, "RUN_BYTES")):
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
