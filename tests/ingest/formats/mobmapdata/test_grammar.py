"""The small languages inside MobMapData, each against a plain reading of its description."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingest.formats.mobmapdata import grammar
from tests.independent import unescape
from tests.ingest.factories import day


# --- plain readings ---------------------------------------------------------------------------------
def is_percent(text: str) -> bool:
    whole, point, decimal = text.partition(".")
    digits = "0123456789"
    if not whole or any(letter not in digits for letter in whole + decimal) or (len(whole) > 1 and whole[0] == "0"):
        return False
    return len(decimal) == (1 if point else 0) and Decimal(text) <= 100


def is_list(text: str) -> bool:
    entries = text.split(",")
    if entries.pop() != "":
        return False
    axes = [entry.split("/") for entry in entries]
    return all(entry == ["-1", "-1"] or (len(entry) == 2 and all(map(is_percent, entry))) for entry in axes)


def is_number(text: str, low: int, high: int) -> bool:
    digits = text.removeprefix("-")
    plain = digits.isascii() and digits.isdigit() and (digits == "0" or not digits.startswith("0")) and text != "-0"
    return plain and low <= int(text) <= high


def is_slot(text: str, version: int) -> bool:
    fields = text.split(":")
    if len(fields) == 1:
        return is_number(text, 0, 2**31 - 1)
    if len(fields) == 5 and version != 42:
        last = fields.pop()
        if not (1 <= len(last) <= 6 and last.isascii() and last.isalnum()):
            return False
    return (
        len(fields) == 4
        and is_number(fields[0], 1, 2**31 - 1)
        and is_number(fields[1], -(2**31) + 1, 2**31 - 1)
        and is_number(fields[2], -9_999_999_999, 9_999_999_999)
        and is_number(fields[3], 0, 2**31 - 1)
    )


def is_loot(text: str, version: int) -> bool:
    if text == "":
        return True
    first, *lootings = text.split("+")
    slots = [slot for looting in lootings for slot in looting.removesuffix("#").split("#") if looting]
    closed = all(looting == "" or looting.endswith("#") for looting in lootings)
    return first == "" and closed and all(is_slot(slot, version) for slot in slots)


# --- numbers ----------------------------------------------------------------------------------------
EDGES = [0, 1, 9, 10, 2**31 - 1, 2**31, 2**31 + 1, 2147483599, 2147483600, 2147490000, 2999999999, 10**9, 10**10]


@pytest.mark.parametrize("number", [*EDGES, *(-number for number in EDGES)])
def test_the_edges_of_numbers_are_31_bits(number: int) -> None:
    assert bool(grammar.is_positive(str(number))) == (1 <= number < 2**31)
    assert bool(grammar.is_natural(str(number))) == (0 <= number < 2**31)
    assert bool(grammar.is_integer(str(number))) == (-(2**31) < number < 2**31)


@given(st.integers(0, 2**33))
def test_every_plain_number_within_31_bits_is_an_id(number: int) -> None:
    assert bool(grammar.is_positive(str(number))) == (1 <= number < 2**31)


@pytest.mark.parametrize("text", ["", "+1", "01", "1e9", "1.0", " 1", "1 ", "1\n", "0x1", "1_000", "١", "-0", "--1"])
def test_other_ways_to_write_a_number_are_none(text: str) -> None:
    assert not grammar.is_positive(text)
    assert not grammar.is_natural(text)
    assert not grammar.is_integer(text)


# --- texts ------------------------------------------------------------------------------------------
@given(
    st.lists(st.sampled_from(["|", "uuml", "szlig", "$", "B", "||", "|auml|", "x", "ß", "Ouml|", "$B"])).map("".join)
)
@example("||uuml|")
@example("|uuml||")
@example("|||uuml|")
def test_escapes_are_resolved_in_one_pass_from_the_left(text: str) -> None:
    assert grammar.unescape(text) == unescape(text)


@pytest.mark.parametrize("name", ["a", " Polly", "x" * 100, "🦌" * 100, "<script>", "a\u200fb", "a\u2028b"])
def test_a_name_may_hold_anything_printable_or_not_but_controls(name: str) -> None:
    assert grammar.name_fault(name) is None


@pytest.mark.parametrize("name", ["", "x" * 101, "a\nb", "a\tb", "\x7f", "a\x85", "\x00", "\x9f"])
def test_a_name_that_is_empty_too_long_or_holds_controls_has_a_fault(name: str) -> None:
    assert grammar.name_fault(name)


# --- days -------------------------------------------------------------------------------------------
@given(st.dates(date(2009, 1, 1), date(2199, 12, 31)))
def test_a_day_is_read_as_the_addon_counts_it(when: date) -> None:
    assert grammar.decode_day(day(when.year, when.month, when.day)) == when


def test_a_31st_that_its_month_does_not_have_is_its_last_day() -> None:
    assert grammar.decode_day(day(2023, 2, 31)) == date(2023, 2, 28)
    assert grammar.decode_day(day(2024, 2, 30)) == date(2024, 2, 29)
    assert grammar.decode_day(day(2024, 4, 31)) == date(2024, 4, 30)


@given(st.integers(0, grammar.MAX_DAY_NUMBER))
def test_every_number_up_to_the_greatest_is_a_day(number: int) -> None:
    assert 2009 <= grammar.decode_day(number).year <= 2199


# --- coordinates ------------------------------------------------------------------------------------
_near = st.lists(
    st.sampled_from(
        ["0", "1", "9", "100", "99.9", "100.0", "100.1", "0.5", "05", ".", "/", ",", "-1", "-1/-1,", "5/5,"]
    ),
    max_size=9,
).map("".join)


@settings(max_examples=500)
@given(st.one_of(_near, st.text("0159./-, \n", max_size=14)))
@example("100.0/100.0,")
@example("-1/5,")
@example("1/1,\n")
def test_lists_of_coordinates_are_what_a_plain_reading_takes(text: str) -> None:
    assert grammar.is_coordinate_list(text) == is_list(text)
    if not is_list(text):
        code, message = grammar.coordinate_fault(text)
        assert code in {"bad-coordinate", "coordinate-out-of-range"}
        assert message.startswith("entry ")


@pytest.mark.parametrize("at", [0, 1, 8_000, 8_191, 8_192, 8_193, 16_384, 19_999])
def test_a_fault_in_a_long_list_is_found_wherever_it_is(at: int) -> None:
    entries = ["12.5/80"] * 20_000
    assert grammar.is_coordinate_list(",".join(entries) + ",")
    entries[at] = "12.5/801"
    text = ",".join(entries) + ","
    assert not grammar.is_coordinate_list(text)
    assert grammar.coordinate_fault(text)[1].startswith(f"entry {at + 1}, '12.5/801',")


@given(st.integers(0, 1000), st.integers(0, 1000), st.booleans())
def test_a_coordinate_is_packed_in_tenths_of_a_percent(x: int, y: int, short: bool) -> None:
    def text(tenths: int) -> str:
        return str(tenths // 10) if short and tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}"

    assert grammar.pack(text(x), text(y)) == x * 1024 + y


def test_an_unknown_position_is_packed_as_minus_one() -> None:
    assert grammar.pack("-1", "-1") == -1


# --- loot texts -------------------------------------------------------------------------------------
_loot_near = st.lists(
    st.sampled_from(["+", "#", "1:0:0:1", "117", "3651:-5:-1:0", ":54Z", ":", "0", "-1", "x", "2147483648"]), max_size=9
).map("".join)


@settings(max_examples=500)
@given(st.one_of(_loot_near, st.text("+#:01Z- ", max_size=14)), st.sampled_from(grammar.VERSIONS))
@example("++#", 44)
@example("+5#+", 44)
@example("+1:0:0:1:54Z#", 42)
def test_loot_texts_are_what_a_plain_reading_takes(text: str, version: int) -> None:
    assert grammar.is_loot_text(text, version) == is_loot(text, version)
    if not is_loot(text, version):
        assert grammar.loot_text_fault(text, version)


@pytest.mark.parametrize("at", [0, 9_362, 9_363, 19_999])
def test_a_fault_in_a_long_loot_text_is_found_wherever_it_is(at: int) -> None:
    lootings = ["1:0:0:1#"] * 20_000
    assert grammar.is_loot_text("+" + "+".join(lootings), 44)
    lootings[at] = "0:0:0:1#"
    text = "+" + "+".join(lootings)
    assert not grammar.is_loot_text(text, 44)
    assert grammar.loot_text_fault(text, 44).startswith(f"looting {at + 1}: '0:0:0:1' is neither")


def test_a_fault_behind_many_slots_that_can_be_read_in_two_ways_is_found_at_once() -> None:
    for version, slot in ((42, "1:0:0:1#"), (44, "1:0:0:1:54Z#")):
        began = process_time()
        assert not grammar.is_loot_text("+" + slot * 23 + "x", version)
        assert process_time() - began < 1


# --- loot names -------------------------------------------------------------------------------------
def read(name: str, version: int = 44) -> tuple[object, ...]:
    """Return kind, target, packed position, zone, floor and difficulty."""
    place = grammar.split_loot_name(name, version)
    kind, *targets = place.source
    target = next(filter(None, targets), None)
    return kind, target, place.xy, place.zone, place.floor, place.difficulty


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("n0x1017#14.9#31.7#Tausend Nadeln#0", 44, ("kill", 4119, 149 * 1024 + 317, "Tausend Nadeln", 0, "")),
        ("nLastkodo#-1#-1#Tausend Nadeln", 42, ("kill", "Lastkodo", -1, "Tausend Nadeln", 0, "")),
        ("SKINnLastkodo#1#1#Z#2", 44, ("skinning", "Lastkodo", 10250, "Z", 2, "")),
        ("SKINn0x1017#1#1#Z#2", 44, ("skinning", "0x1017", 10250, "Z", 2, "")),
        ("PIPOn0x1#1#1#Z#0", 44, ("pickpocketing", 1, 10250, "Z", 0, "")),
        ("HERBoSilber#blatt#1#1#Z#0", 44, ("herb", "Silber#blatt", 10250, "Z", 0, "")),
        ("OPENoa#1#1#b#1#1#Z#0", 44, ("chest", "a#1#1#b", 10250, "Z", 0, "")),
        ("OPENoKiste#1#1#200#Foo#0", 44, ("chest", "Kiste", 10250, "200#Foo", 0, "")),
        ("OPENoKiste#1#1#1.5.5#2#3#Foo#0", 44, ("chest", "Kiste#1#1#1.5.5", 20510, "Foo", 0, "")),
        ("OPENoKiste#1#1#Z#07#0", 44, ("chest", "Kiste", 10250, "Z#07", 0, "")),
        ("ITEMi4632#1#1#Z#0", 44, ("item", 4632, 10250, "Z", 0, "")),
        ("FISH#1#1#Z#0", 44, ("fishing", None, 10250, "Z", 0, "")),
        ("UNKN#-1#-1#Z#0", 44, ("unknown", None, -1, "Z", 0, "")),
        ("FISHnBarsch#1#1#Z", 42, None),
        ("n0x1#1#1#Die TodesminenHEROIC#1", 44, ("kill", 1, 10250, "Die Todesminen", 1, "HEROIC")),
        ("n0x1#1#1#ZRAID2N#1", 44, ("kill", 1, 10250, "Z", 1, "RAID2N")),
        ("n0x1#1#1#HEROIC#1", 44, ("kill", 1, 10250, "HEROIC", 1, "")),
        ("n0x1#1#1#ZHEROICHEROIC#1", 44, ("kill", 1, 10250, "ZHEROIC", 1, "HEROIC")),
        ("nWolf#1#1#Z", 43, ("kill", "Wolf", 10250, "Z", 0, "")),
        ("n0x1017#1#1#Z", 43, ("kill", 4119, 10250, "Z", 0, "")),
        ("n0x1017#1#1#Z", 42, ("kill", "0x1017", 10250, "Z", 0, "")),
        ("nWolf#1#1#Z#0", 43, None),
        ("nWolf#1#1#Z#0", 44, None),
        ("n0x1#1#1#Z", 44, None),
        ("n0x1#1#-1#Z#0", 44, None),
        ("n0x1#1#1#Z#100", 44, None),
        ("n0x1#1#1##0", 44, None),
        ("n0x0#1#1#Z#0", 44, None),
        ("n0x80000000#1#1#Z#0", 44, None),
        ("HERB#1#1#Z#0", 44, None),
        ("HERBo#1#1#Z#0", 44, None),
        ("ITEMi0#1#1#Z#0", 44, None),
        ("oKiste#1#1#Z#0", 44, None),
    ],
)
def test_loot_names_are_taken_apart_from_the_right(
    name: str, version: int, expected: tuple[object, ...] | None
) -> None:
    if expected is None:
        with pytest.raises(grammar.BadLootName):
            read(name, version)
    else:
        assert read(name, version) == expected


def test_a_loot_name_has_room_for_all_that_its_parts_may_hold() -> None:
    longest = "|szlig|" * 100
    assert read(f"OPENo{longest}#100.0#100.0#{longest}RAID1N#99") == (
        "chest",
        "ß" * 100,
        1000 * 1025,
        "ß" * 100,
        99,
        "RAID1N",
    )
    assert read(f"n0x{'0' * 1000}1017#1#1#Z#0")[1] == 4119
    with pytest.raises(grammar.BadLootName, match="has 5,012 characters; 1,500 are allowed"):
        read(f"n0x{'0' * 5000}1#1#1#Z#0")


def test_the_last_number_is_the_floor_however_large() -> None:
    for name in ("OPENoKiste#1#1#Z#2147483647", "OPENoKiste#1#1#Z#07#2147483647", "OPENoKiste#1#1#Z#07#100"):
        for version in (43, 44):
            with pytest.raises(grammar.BadLootName, match="beyond 99"):
                read(name, version)
