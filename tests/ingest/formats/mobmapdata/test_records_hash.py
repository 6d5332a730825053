"""Equal for the same set of records, however written down and wrapped; different for any other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats.mobmapdata.records import sort_digests
from tests.ingest.factories import OTHERS, WRAPPINGS, Note, contents, document, element, loot, mob, notes, zone

#: Beyond this length lists are sorted by another path.
LONG = 70_000


def content_hash(*records: str, version: int = 44) -> bytes:
    return contents(document(*records, version=version)).content_hash


@settings(max_examples=150, deadline=None)
@given(notes(), st.integers(0, 9), st.sampled_from(sorted(WRAPPINGS)))
def test_any_order_in_any_wrapping_is_the_same_content(note: Note, seed: int, wrapping: str) -> None:
    plain, shuffled = contents(note.xml()), contents(WRAPPINGS[wrapping](note.xml(seed)))
    assert shuffled == plain


def test_the_hash_of_a_content_is_what_databases_hold_of_it() -> None:
    """Another one would take every upload that is sent again for a new one."""
    records = [
        mob(zone("10.0/5,-1/-1,5/10.0,5/10,"), zone(name="T|auml|l", level=3), name="M|ouml|we &"),
        loot("+2#1:-7:0:3:54Z#+5#++", "OPENoA#B#2.0#3#ZHEROIC#1"),
        *(loot(), loot("+7#", "FISH#-1#-1#Z#0")),
        *OTHERS,
    ]
    assert content_hash(*records).hex() == "c6efdb25c72c9084a3eb16030f26c0b14a20c18f1b0493509618560c9fc8c03b"


@settings(max_examples=100, deadline=None)
@given(notes(), st.data())
def test_a_record_more_is_another_content(note: Note, data: st.DataObject) -> None:
    if note.records:
        record = data.draw(st.sampled_from(note.records))
        more = Note(note.version, note.shape, [*note.records, record], note.others)
        assert contents(more.xml()).content_hash != contents(note.xml()).content_hash


@pytest.mark.parametrize(
    "other",
    [
        mob(zone("1/1,2/2,")),
        mob(zone("1/1,2/3,3/2,")),
        mob(zone("1/1,2/2,3/3,3/3,")),
        mob(zone("1/1,2/2,3/3,", level=1)),
        mob(zone("1/1,2/2,3/3,", name="Tausend Nadeln ")),
        mob(zone("1/1,2/2,3/3,"), id=10637),
        mob(zone("1/1,2/2,3/3,"), name="lastkodo"),
        mob(zone("1/1,2/2,3/3,"), min=29),
        mob(zone("1/1,2/2,3/3,"), react=2),
        mob(zone("1/1,2/2,"), zone("3/3,")),
    ],
)
def test_another_creature_or_place_is_another_content(other: str) -> None:
    assert content_hash(other) != content_hash(mob(zone("1/1,2/2,3/3,")))


@pytest.mark.parametrize("other", ["+1:0:0:1#2#", "+2#+1:0:0:1#+", "+1:0:0:2#+2#", "+1:0:0:1#+3#", "+2#+2#+1:0:0:1#"])
def test_another_looting_is_another_content(other: str) -> None:
    assert content_hash(loot(other)) != content_hash(loot("+1:0:0:1#+2#"))


def test_loot_of_another_source_is_another_content() -> None:
    places = ["n0x1#1#1#Z#0", "n0x2#1#1#Z#0", "n0x1#1#2#Z#0", "n0x1#1#1#Z#1", "n0x1#1#1#ZHEROIC#0", "PIPOn0x1#1#1#Z#0"]
    assert len({content_hash(loot("+5#", source)) for source in places}) == len(places)


def test_a_coordinate_written_with_a_zero_behind_the_point_is_the_same() -> None:
    assert content_hash(mob(zone("10.0/5,5/10.0,100.0/0.0,"))) == content_hash(mob(zone("100/0,5/10,10/5,")))


def test_an_escape_and_its_letter_are_the_same_in_names_of_creatures_zones_and_sources() -> None:
    escaped = [mob(zone(name="T|auml|l"), name="M|ouml|we"), loot(source="OPENoT|uuml|r#1#1#T|auml|l#0")]
    plain = [mob(zone(name="Täl"), name="Möwe"), loot(source="OPENoTür#1#1#Täl#0")]
    assert content_hash(*escaped) == content_hash(*plain)


def test_an_id_in_either_case_and_with_zeros_before_it_is_the_same() -> None:
    ids = ["0x298C", "0x298c", "0x0000298C"]
    assert len({content_hash(loot(source=f"n{id}#1#1#Z#0")) for id in ids}) == 1


def test_the_same_zones_elsewhere_are_another_content() -> None:
    first = [mob(zone("1/1,"), name="A", id=1), mob(name="B", id=2)]
    second = [mob(name="A", id=1), mob(zone("1/1,"), name="B", id=2)]
    assert content_hash(*first) != content_hash(*second)


@pytest.mark.parametrize("text", ["+5#+", "++5#", "+5#++", "+++5#"])
def test_lootings_without_slots_have_no_order_either(text: str) -> None:
    turned = "+" * (text.count("+") - 1) + "+5#"
    assert content_hash(loot(text)) == content_hash(loot(turned))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+" * LONG + "+5#", "+5#" + "+" * LONG),
        ("+7#" * LONG + "+1:0:0:1#2#", "+2#1:0:0:1#" + "+7#" * LONG),
        ("+" + "7#" * LONG + "8#", "+8#" + "7#" * LONG),
        ("+" + "7#" * LONG + "+8#", "+8#+" + "7#" * LONG),
    ],
    ids=["without slots", "many lootings", "many slots", "one long looting"],
)
def test_long_loot_texts_have_no_order_either(one: str, other: str) -> None:
    assert len(one) == len(other) > LONG
    assert content_hash(loot(one)) == content_hash(loot(other))
    assert content_hash(loot(one)) != content_hash(
        loot(other.replace("8#", "9#").replace("5#", "6#").replace("2#", "3#"))
    )


def test_long_lists_of_coordinates_have_no_order_either() -> None:
    many = "12.5/80," * 10_000
    assert content_hash(mob(zone(many + "1/1,100.0/2,"))) == content_hash(mob(zone("100/2," + many + "1/1,")))
    assert content_hash(mob(zone(many + "1/1,"))) != content_hash(mob(zone(many + "1/2,")))
    assert content_hash(mob(zone(many))) != content_hash(mob(zone(many + "12.5/80,")))


def test_what_is_not_merged_counts_as_content_too() -> None:
    comment = {"timestamp": 1, "title": "a", "objective": "b", "text": "c"}
    hashes = {
        content_hash(),
        content_hash(element("Questcomment", comment)),
        content_hash(element("Questcomment", comment | {"text": "d"})),
        content_hash(element("Questcomment", comment), element("Questcomment", comment)),
    }
    assert len(hashes) == 4


@given(st.lists(st.binary(min_size=16, max_size=16)))
def test_digests_are_sorted_as_bytes(digests: list[bytes]) -> None:
    assert bytes(sort_digests(bytearray(b"".join(digests)))) == b"".join(sorted(digests))
