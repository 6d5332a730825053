"""A small document read at once, its loot in columns, and a large one read element by element: always the same."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.errors import InvalidDocument
from ingest.formats.mobmapdata import reading
from ingest.formats.mobmapdata import validate as door
from ingest.formats.mobmapdata.columns import Unusual, read_loots
from ingest.formats.mobmapdata.reading import Contents, parse_whole
from tests.ingest.factories import Note, contents, document, loot, mob, notes, zone

PARTS = ["n0x1", "n", "OPENoA#B", "FISH", "#", "", "1", "1.0", "-1", "-0", "100.1", "Z", "ZHEROIC", "HEROIC", "0", "99"]
PARTS += ["100", "+", "+5#", "+1:0:0:1:54Z#", "+1:0:0:1#2#", "5#", "+5", "++", "|uuml|", "x" * 101, "&#10;", "+0#"]


def read(document: bytes, *, at_once: bool) -> Contents | None:
    """Return what one way of reading finds, None where it finds a fault."""
    try:
        return door._read_whole(document) if at_once else door._read_in_chunks(BytesIO(document))
    except door.FAULTS:
        return None


@settings(max_examples=200, deadline=None)
@given(notes(), st.sampled_from([42, 43, 44]))
def test_both_ways_find_the_same(note: Note, version: int) -> None:
    written = note.xml(version=version)
    found = read(written, at_once=True)
    assert found == read(written, at_once=False)
    assert found is not None or version != note.version


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(PARTS), min_size=3, max_size=6).map("#".join),
            st.lists(st.sampled_from(PARTS), max_size=3).map("".join),
        ),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([42, 43, 44]),
)
def test_both_ways_find_the_same_in_what_is_odd_or_broken(loots: list[tuple[str, str]], version: int) -> None:
    good = loot(source="n0x1#1#1#Z#0" if version != 42 else "nA#1#1#Z")
    written = document(good, *(f'<Loot name="{name}">{text}</Loot>' for name, text in loots), version=version)
    assert read(written, at_once=True) == read(written, at_once=False)


@settings(max_examples=200, deadline=None)
@given(notes(), st.data())
def test_both_ways_refuse_the_same_broken_documents(note: Note, data: st.DataObject) -> None:
    written = note.xml()
    at = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(at, min(len(written), at + 20)))
    put = data.draw(st.sampled_from([b"", b"<", b">", b'"', b"#", b"+", b"0", b"-", b"&amp;", b"\n", b"/"]))
    broken = written[:at] + put + written[end:]
    assert read(broken, at_once=True) == read(broken, at_once=False)


@pytest.mark.parametrize(
    "names",
    [["n0x1#1#1#Z#0", "OPENoA#B#C#1.0#-0#Z#0"], ["n0x1#1#1#Z#100"], ["n0x1#-1#1#Z#0"], ["n0x1#1#1##0"], ["n0x1#1#1#Z"]],
)
def test_names_that_columns_cannot_vouch_for_are_left_to_the_rules_of_single_elements(names: list[str]) -> None:
    root = parse_whole(document(*(loot(source=name) for name in names)))
    with pytest.raises(Unusual):
        read_loots(list(root), 44)


def test_a_text_is_not_completed_by_the_next_one() -> None:
    for texts in (["+1:0:0", ":1#"], ["+5#", "6#"], ["+5", "+#"]):
        with pytest.raises(InvalidDocument):
            contents(document(*map(loot, texts)))


def test_attributes_of_other_namespaces_are_found_in_loot_read_at_once_too() -> None:
    strange = loot().replace("<Loot", '<Loot xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:x="1"')
    with pytest.raises(InvalidDocument):
        contents(document(mob(), strange))


def test_a_size_beyond_which_documents_are_read_in_pieces_changes_no_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    written = document(mob(), *(loot(f"+{number}#1#+7#", "OPENoA#B#2.0#3#Z#1") for number in range(200)))
    whole = contents(written)
    monkeypatch.setattr(door, "WHOLE_TREE_BYTES", 100)
    assert contents(written) == whole


def test_an_element_that_is_no_loot_is_no_less_checked() -> None:
    with pytest.raises(InvalidDocument):
        contents(document(mob(id=0), loot()))


@pytest.mark.parametrize(
    ("record", "names"),
    [
        (loot(source="n0x{}#1#1#Z#0"), 4),
        (loot(source="OPENoA#B{}#1#1#Z#0"), 4),
        (loot(source="n0x1#{}#{}#Z#0"), 2),
        (loot(source="FISH#1#1#Z{}#0"), 4),
        (loot(source="FISH#1#1#Z#{}"), 4),
        (mob(name="A{}"), 3),
        (mob(zone("1/1,", name="Z{}"), name="A"), 4),
        (mob(zone("1/1,", name="Z"), name="A").replace('level="0"', 'level="{}"'), 4),
    ],
)
def test_a_document_names_a_bounded_number_of_things(record: str, names: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents read at once are too small to come near the limit."""
    monkeypatch.setattr(door, "WHOLE_TREE_BYTES", 0)
    written = document(*(record.replace("{}", str(number)) for number in (1, 2, 3)))
    monkeypatch.setattr(reading, "MAX_NAMES", names)
    contents(written)
    monkeypatch.setattr(reading, "MAX_NAMES", names - 1)
    with pytest.raises(InvalidDocument) as refusal:
        contents(written)
    assert {error["code"] for error in refusal.value.errors} == {"too-many-names"}
