"""The fast path of validation finds the same as the slow path, which reads element by element."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.problems import Problem
from ingest.formats.mobmapdata import fast_path, grammar, reading
from ingest.formats.mobmapdata import validate as validation
from ingest.formats.mobmapdata.fast_path import extract
from ingest.formats.mobmapdata.reading import Contents
from ingest.problems import InvalidDocument
from tests.ingest.factories import OTHERS, Note, contents, document, loot, mob, notes, open_body, zone

PARTS = ["n0x1", "n", "OPENoA#B", "FISH", "#", "", "1", "1.0", "-1", "-0", "100.1", "Z", "ZHEROIC", "HEROIC", "0", "99"]
PARTS += ["100", "+", "+5#", "+1:0:0:1:54Z#", "+1:0:0:1#2#", "5#", "+5", "++", "|uuml|", "x" * 101, "&#10;", "+0#"]


def read(document: bytes, *, at_once: bool) -> Contents | None:
    """Return what one path finds, None where it finds a fault."""
    try:
        return validation._read_whole(document) if at_once else validation._read_in_chunks(BytesIO(document))
    except validation.FAULTS:
        return None


@settings(max_examples=200, deadline=None)
@given(notes(), st.sampled_from([42, 43, 44]))
def test_both_paths_find_the_same(note: Note, version: int) -> None:
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
def test_both_paths_find_the_same_in_what_is_odd_or_broken(loots: list[tuple[str, str]], version: int) -> None:
    good = loot(source="n0x1#1#1#Z#0" if version != 42 else "nA#1#1#Z")
    written = document(good, *(f'<Loot name="{name}">{text}</Loot>' for name, text in loots), version=version)
    assert read(written, at_once=True) == read(written, at_once=False)


@settings(max_examples=200, deadline=None)
@given(notes(), st.data())
def test_both_paths_refuse_the_same_broken_documents(note: Note, data: st.DataObject) -> None:
    written = note.xml()
    at = data.draw(st.integers(0, len(written)))
    end = data.draw(st.integers(at, min(len(written), at + 20)))
    put = data.draw(st.sampled_from([b"", b"<", b">", b'"', b"#", b"+", b"0", b"-", b"&amp;", b"\n", b"/"]))
    broken = written[:at] + put + written[end:]
    assert read(broken, at_once=True) == read(broken, at_once=False)


@pytest.mark.parametrize(
    "whole",
    [
        document(loot("+5#+1:0:0:1:54Z#12#+1:-7:0:1#"), loot()),
        document(loot("+5#1:0:0:1#+", "SKINnA#1#1.0#ZHEROIC"), version=42),
        document(mob(zone("21.6/33,-1/-1,"), zone(name="M|uuml|hle", level=1)), mob()),
    ],
    ids=["loot", "loot of version 42", "mob"],
)
def test_both_paths_refuse_the_same_wherever_something_is_missing(whole: bytes) -> None:
    begin, end = whole.index(b">") + 1, whole.rindex(b"<")
    for at in range(begin, end):
        for to in range(at + 1, min(end, at + 20) + 1):
            broken = whole[:at] + whole[to:]
            assert read(broken, at_once=True) == read(broken, at_once=False), broken


# --- what is extracted, and what is not ---------------------------------------------------------------
EMPTY = document()
LOOT, MOB = loot(), mob(zone("21.6/33,-1/-1,"), zone(name="M|uuml|hle", level=1))


@pytest.mark.parametrize(
    "written",
    [
        [LOOT],
        [MOB],
        [LOOT, LOOT, MOB, MOB, LOOT],
        [mob(), mob(zone(""))],
        [mob(zone(name="A&apos;B &amp; C"), name="&quot;D&quot;"), loot(source="OPENoA&apos;B#1.0#100#Z&lt;HEROIC#0")],
        [loot(text) for text in ("", "+", "++5#+", "+5#7#+1:-7:4294967295:0:54Z#2147483647:0:0:1#", "+5#" * 1000)],
        [loot(source=f"FISH#-1#-1#{zone}#99") for zone in "AB"],
    ],
    ids=lambda written: "".join(written)[:40],
)
def test_elements_in_the_addons_form_are_extracted(written: list[str]) -> None:
    whole = document(*written)
    assert extract(whole).remainder == EMPTY
    assert validation._read_extract(extract(whole)) == read(whole, at_once=False)


def test_loot_of_version_42_is_extracted() -> None:
    whole = document(loot("+5#1:0:0:1#", "nA#1#1#Z"), loot("+", "OPENoB#1#1#ZHEROIC"), version=42)
    assert extract(whole).remainder == document(version=42)
    assert validation._read_extract(extract(whole)) == read(whole, at_once=False)


def test_other_elements_stay_in_the_remainder_and_are_read_from_there() -> None:
    odd = [loot(source="OPENoA#B#1#1#Z#0"), mob(name="x").replace(' react="12"', "").replace("<Mob", '<Mob react="12"')]
    whole = document(LOOT, OTHERS[0], odd[0], MOB, "\n  ", odd[1], LOOT, *OTHERS[1:], MOB)
    assert extract(whole).remainder == document(OTHERS[0], odd[0], "\n  ", odd[1], *OTHERS[1:])
    assert validation._read_whole(whole) == read(whole, at_once=False) == validation._read_extract(extract(whole))


@pytest.mark.parametrize(
    "broken",
    [
        LOOT.encode() + EMPTY,
        EMPTY + LOOT.encode(),
        EMPTY.replace(b"></MobMapData>", b"/>") + LOOT.encode(),
        LOOT.encode() + document(MOB),
        document(f'<Mob name="{LOOT}x" blizzid="1" min="1" max="1" react="1" date="1"></Mob>'),
        document(f'<Mob name="{LOOT}', MOB.removeprefix("<")),
        document(f'<Mob name=">{LOOT}<Mob ', MOB.removeprefix("<Mob ")),
        document(f"<Mob {LOOT}", MOB.removeprefix("<Mob ")),
        document(f"<{LOOT}", MOB.removeprefix("<")),
        document(mob(zone(), LOOT)),
        document(mob(LOOT)),
        document(mob(zone(LOOT))),
        document(f"<Merchant {LOOT}", OTHERS[1].removeprefix("<Merchant ")),
        document(OTHERS[1].replace("<MItem", LOOT + "<MItem")),
        document(OTHERS[1].replace("</Merchant>", MOB + "</Merchant>")),
        document(LOOT + "text"),
        document("text" + LOOT),
        document("&am" + LOOT + MOB),
        document(f"<MobMapData>{LOOT}</MobMapData>"),
        document(LOOT).replace(b"<MobMapData", b'<MobMapData xmlns="urn:x"'),
        document(f'<Strange xmlns="urn:x">{LOOT}{MOB}</Strange>'),
        document(LOOT) + document(LOOT),
        document(MOB) + b"\0" + LOOT.encode(),
        document(MOB) + LOOT.encode(),
        document('<Loot name="n0x1&#35;1#1#Z#00">+5#</Loot>'),
        document('<Loot name="n0x1#1#1#Z&#1;#0">+5#</Loot>'),
        document('<Loot name="OPENoA&undefined;#1#1#Z#0">+5#</Loot>'),
        document(loot(source="n0x1#1#1#Z\ufffe#0")),
        document(loot(source='OPENoA" x="B#1#1#Z#0').replace("&quot;", '"')),
        document(loot(source="OPENoA<B#1#1#Z#0").replace("&lt;", "<")),
        document(loot(source="n0x1#1#1#Z#100")),
        document(loot(source="n0x1#1#1#Z#01")),
        document(loot(source="n0x1#-1#1#Z#0"), loot(source="n0x1#1#-1#Z#0")),
        document(loot(source="n0x1#1#1##0")),
        document(mob(zone("1/1"), zone(",2/2,"))),
        document(mob(zone("1/1,")).replace("</Zone></Mob>", "</Zone><Zone</Mob>")),
        document(LOOT, loot("+1")),
        document(LOOT, loot("+5#+1:0:0:1")),
        document(mob(zone("1/1,", name="A<B").replace("&lt;", "<"))),
        document(mob(react=3)),
        document(mob(id=0)),
        document(MOB, version=42),
        document(LOOT).replace(b'"44"', b'"45"').replace(b"deDE", b"' version=&quot;44&quot;"),
    ],
    ids=lambda broken: broken.decode().replace(EMPTY.decode().partition("</")[0], "…")[:60],
)
def test_what_is_around_an_extracted_element_or_in_it_is_checked_as_strictly(broken: bytes) -> None:
    assert read(broken, at_once=False) is None
    assert read(broken, at_once=True) is None


#: Parts that documents are put together from, whether that makes a valid one or not.
PIECES = [
    *(LOOT, LOOT, MOB, loot("+5#", "FISH#-1#-1#ZHEROIC#1"), *OTHERS),
    *('<Loot name="n0x1#1#1#Z#0"/>', LOOT.replace('"', "'"), LOOT.replace("<Loot", '<Loot xmlns:x="urn:x"')),
    *(loot(source="OPENoA#B#1#1#Z#0"), mob(zone(), name="A\tB\nC"), '<Loot name="OPENo&#65;&apos;#1#1#Z#0">+</Loot>'),
    *('<Loot name="n0x1&#35;1#1#Z#0">+5#</Loot>', '<Loot name="OPENoA&#35;B#1#1#Z#0">+&#53;#</Loot>'),
    *('<Mob name="', '">', "<Mob ", "</Mob>", "</Loot>", "<Zone ", zone(), "/>", "<", ">", '"', "'", "&amp;", "&"),
    *("\n", " ", "\t", "\x0b", "\ufffe", "text", "<!-- ", " -->", "<![CDATA[", "]]>", "<?x ?>"),
    *("<MobMapData>", "</MobMapData>", '<Strange xmlns="urn:x">', "</Strange>", "<Merchant name='x'>", "</Merchant>"),
]


@settings(max_examples=1000, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8), st.integers(0, 8), st.integers(0, 8), st.sampled_from([42, 44]))
def test_no_arrangement_of_pieces_is_read_differently(pieces: list[str], begin: int, end: int, version: int) -> None:
    root, tail = (part.decode() for part in document(version=version).partition(b"</")[::2])
    arranged = [*pieces]
    arranged.insert(min(end, len(pieces)) if end < 3 else len(pieces), f"</{tail}")
    arranged.insert(begin if begin < 2 else 0, root)
    try:
        written = open_body("".join(arranged).encode())
    except Problem:
        return  # only what has passed the precheck reaches the fast path
    assert read(written, at_once=True) == read(written, at_once=False)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["1/1,", "1.0/1,", "10/100.0,", "-1/-1,", "99.9/99.9,"]), max_size=40).map("".join),
    st.lists(st.sampled_from(["+", "5#", "64#", "7:0:0:1#", "7:-1:0:1:Z#"]), max_size=40).map("".join),
    st.sampled_from([1, 8, 60, grammar.PIECE]),
)
def test_lists_are_sorted_the_same_up_to_the_length_from_which_they_stay(
    coordinates: str, lootings: str, piece: int
) -> None:
    written = document(mob(zone(coordinates), zone(coordinates[::-1]), zone()), loot(f"+{lootings}"), mob(), loot())
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(grammar, "PIECE", piece)
        assert read(written, at_once=True) == read(written, at_once=False)


@pytest.mark.parametrize("element", [lambda text: mob(zone(text)), loot], ids=["zone", "loot"])
@pytest.mark.parametrize("part", ["1/1,", "1.0/1,", "+5#", "+", "+5#6#"])
@pytest.mark.parametrize("over", [-1, 0, 1])
def test_a_list_of_the_greatest_length_is_extracted_and_a_longer_one_stays(
    over: int, part: str, element: Callable[[str], str]
) -> None:
    text = part * (grammar.PIECE // len(part) + over)
    written = document(element(text))
    assert read(written, at_once=True) == read(written, at_once=False)
    if (part[0] == "+") == (element is loot):
        assert (extract(written).remainder == EMPTY) == (len(text) <= grammar.PIECE)


@pytest.mark.parametrize("letters", [249, 250, 251])
def test_a_name_of_the_greatest_length_is_extracted_and_a_longer_one_stays(letters: int) -> None:
    name = ("&amp;" * 99)[: letters // 5 * 5] + "x" * (letters % 5)
    for record in (loot(source="OPENo@#1#1#Z#0"), loot(source="FISH#1#1#@#0"), mob(name="@"), mob(zone(name="@"))):
        written = document(record.replace("@", name if "OPENo@" not in record else name[5:]))
        assert read(written, at_once=True) == read(written, at_once=False)
        assert (extract(written).remainder == EMPTY) == (letters <= 250)


def test_names_are_forgotten_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    for cache in (fast_path._begins[44], fast_path._locations[44]):
        monkeypatch.setattr(cache, "size", 10)
    whole = document(*(loot(source=f"n0x{number:x}#1#1#Z{number}#0") for number in range(1, 40)))
    assert validation._read_extract(extract(whole)) == read(whole, at_once=False)
    assert max(len(known) for known in (fast_path._begins[44], fast_path._locations[44])) <= 10


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
    monkeypatch.setattr(validation, "WHOLE_TREE_BYTES", 100)
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
    monkeypatch.setattr(validation, "WHOLE_TREE_BYTES", 0)
    written = document(*(record.replace("{}", str(number)) for number in (1, 2, 3)))
    monkeypatch.setattr(reading, "MAX_NAMES", names)
    contents(written)
    monkeypatch.setattr(reading, "MAX_NAMES", names - 1)
    with pytest.raises(InvalidDocument) as refusal:
        contents(written)
    assert {error["code"] for error in refusal.value.errors} == {"too-many-names"}
