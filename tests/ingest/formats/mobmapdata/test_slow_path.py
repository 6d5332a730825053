"""Coordinate lists and loot texts on the slow path and in C: both find what a plain reading of each text gives."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats.mobmapdata import grammar, slow_path
from ingest.formats.mobmapdata.compiled import Columns
from tests.ingest.factories import document, loot, mob, zone

_axis = st.one_of(
    st.integers(0, 1000).map(lambda tenths: f"{tenths // 10}.{tenths % 10}"),
    st.integers(0, 100).map(str),
    st.just("100.0"),
)
_coordinate = st.one_of(st.builds("{}/{}".format, _axis, _axis), st.just("-1/-1"))
_coordinate_list = st.lists(_coordinate, max_size=6).map(lambda entries: "".join(f"{entry}," for entry in entries))
_id = st.one_of(st.integers(1, 99), st.integers(1, 2**31 - 1))
_item = st.builds("{}:{}:{}:{}".format, _id, st.integers(-9, 9), st.integers(-(2**31), 2**31), st.integers(0, 20))
_slot = st.one_of(_item, _item.map(lambda item: item + ":54Z"), st.one_of(st.integers(0, 99), _id).map(str))
_looting = st.lists(_slot, max_size=5)


def written(lootings: list[list[str]]) -> str:
    return "".join("+" + "".join(f"{slot}#" for slot in looting) for looting in lootings)


def plain_reading(lootings: list[list[str]]) -> tuple[int, int, int, Counter[int]]:
    """Return lootings, lootings with money, copper, and the drops of each item."""
    coins = [[int(slot) for slot in looting if ":" not in slot] for looting in lootings]
    drops = Counter[int]()
    for looting in lootings:
        drops.update({int(slot.split(":")[0]) for slot in looting if ":" in slot})
    return len(lootings), sum(map(bool, coins)), sum(map(sum, coins)), drops


def slow(text: str, version: int = 44) -> tuple[int, int, int, Counter[int]] | None:
    """Return the same from the slow path; None for a text that it refuses."""
    try:
        *counts, items = slow_path.lootings(text, version)
    except ValueError:
        return None
    return (*counts, Counter(items))


def scan(texts: list[str], version: int = 44) -> list[Any]:
    """Return the same from the C scan of one document, None for each text that stays in the remainder."""
    numbers = [f"n0x1#{number // 10}.{number % 10}#1#Z" + ("#0" if version == 44 else "") for number in range(1000)]
    whole = document(*(loot(text, number) for text, number in zip(texts, numbers, strict=False)), version=version)
    columns = Columns(whole, version, 0, 0, defaultdict(int), defaultdict(int), {}, {})
    rows = np.frombuffer(columns.loots, dtype=np.int64).reshape(-1, 8)
    ends = np.cumsum(rows[:, 7])
    found: list[Any] = [None] * len(texts)
    for row, items in zip(rows.tolist(), np.split(np.frombuffer(columns.items, np.int32), ends)[:-1], strict=True):
        found[row[3] >> grammar.Y_BITS] = (*row[4:7], Counter(items.tolist()))
    assert columns.items == b"" or ends[-1] * 4 == len(columns.items)
    return found


@pytest.fixture(params=[16, grammar.PIECE], ids=["in short pieces", "in one piece"])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammar, "PIECE", request.param)


@pytest.mark.usefixtures("piece")
def test_coordinates_are_what_a_list_says() -> None:
    @settings(max_examples=300, deadline=None)
    @given(_coordinate_list)
    def check(text: str) -> None:
        expected = [grammar.pack(*entry.split("/")) for entry in text.split(",")[:-1]]
        assert slow_path.coordinates(text).tolist() == expected
        columns = Columns(document(mob(zone(text))), 44, 0, 0, {}, {}, defaultdict(int), defaultdict(str))
        assert np.frombuffer(columns.xy, np.int32).tolist() == expected

    check()


@pytest.mark.usefixtures("piece")
def test_lootings_money_and_drops_are_what_a_loot_text_says() -> None:
    @settings(max_examples=300, deadline=None)
    @given(st.lists(st.lists(_looting, min_size=1, max_size=4), min_size=1, max_size=8))
    def check(elements: list[list[list[str]]]) -> None:
        expected = [plain_reading(lootings) for lootings in elements]
        texts = [written(lootings) for lootings in elements]
        assert [slow(text) for text in texts] == expected
        assert [slow(text, 43) for text in texts] == expected
        assert scan(texts) == expected

    check()


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from([*"+#:0159-Zz ", "5#", "7:0:0:1#", "+", "2147483648"]), max_size=12).map("".join))
def test_the_scan_reads_what_the_grammar_takes_and_nothing_else(text: str) -> None:
    for version in (42, 44):
        assert grammar.is_loot_text(text, version) == (slow(text, version) is not None)
        assert scan([text], version) == [slow(text, version) if text else None]


@pytest.mark.parametrize("slots", [1, 2, 15, 16, 17, 18, 100, 5000])
@pytest.mark.parametrize("different", [1, 2, 16, 17, 5000])
def test_an_item_drops_once_per_looting_however_many_slots_hold_it(slots: int, different: int) -> None:
    looting = [f"{1 + number * 7919 % different}:0:0:1" for number in range(slots)]
    text = written([looting, looting[:1], ["5"], looting])
    assert slow(text) == plain_reading([looting, looting[:1], ["5"], looting])
    assert scan([text]) == [slow(text)]


def test_sums_beyond_32_bits_are_exact() -> None:
    text = "+" + "2147483647#" * 5_000
    assert slow(text) == (1, 1, 2147483647 * 5_000, Counter())
    assert scan([text]) == [slow(text)]


BROKEN_LISTS = ["1/1", "1,1/", "/1,", "1/,", "101/1,", "-1/1,", "1/1;", "x/1,", "1/1,2/2", "٣/1,", "1/1,,", "1.2.3/1,"]
BROKEN_LISTS += ["1./1,", ".5/1,", "1/1.55,", "100.00/1,", "1/1,5", "1/", "0-/1,", "-/1,", "/", "-1/-1", "0-1/0-1,"]


@pytest.mark.parametrize("broken", BROKEN_LISTS)
def test_a_broken_list_of_coordinates_is_refused(broken: str) -> None:
    with pytest.raises(ValueError, match=r"^entry \d"):
        slow_path.coordinates(broken)
    written = document(mob(zone(broken)))
    assert Columns(written, 44, 0, 0, {}, {}, defaultdict(int), defaultdict(str)).remainder == written


BROKEN_TEXTS = ["5#", "+#", "+:1:1:1#", "+99999999999#", "+2147483648:0:0:1#", "+x#", "+5", "+12345678x#", "+5;#"]
BROKEN_TEXTS += ["+5é#", "+5:\0#", "+0:0:0:1#", "+1:-0:0:1#", "+1:0:0:01#", "+1:0:12345678901:1#", "+1:0:0:1:1234567#"]


@pytest.mark.parametrize("broken", BROKEN_TEXTS)
def test_a_broken_loot_text_is_refused(broken: str) -> None:
    with pytest.raises(ValueError, match=r"^(looting \d|the text begins)"):
        slow_path.lootings(broken, 44)
    assert scan([broken, "+5#"]) == [None, slow("+5#")]
