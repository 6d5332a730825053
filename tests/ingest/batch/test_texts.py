"""Coordinate and loot texts read by the million: what a plain reading of each text gives."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.batch import texts
from ingest.formats.mobmapdata import grammar

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


@pytest.fixture(params=[16, texts.RUN_BYTES], ids=["cut into short runs", "in one run"])
def run_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "RUN_BYTES", request.param)


@pytest.mark.usefixtures("run_bytes")
def test_coordinates_are_what_each_text_says() -> None:
    @settings(max_examples=150, deadline=None)
    @given(st.lists(_coordinate_list, max_size=8))
    def check(lists: list[str]) -> None:
        index, xy = texts.coordinates([text.encode() for text in lists])
        expected = [
            (number, grammar.pack(*entry.split("/")))
            for number, text in enumerate(lists)
            for entry in text.split(",")[:-1]
        ]
        assert list(zip(index.tolist(), xy.tolist(), strict=True)) == expected

    check()


@pytest.mark.usefixtures("run_bytes")
def test_lootings_money_and_drops_are_summed_by_group() -> None:
    @settings(max_examples=150, deadline=None)
    @given(st.lists(st.tuples(st.lists(_looting, max_size=4), st.integers(0, 2)), max_size=8))
    def check(elements: list[tuple[list[list[str]], int]]) -> None:
        found = texts.lootings(
            [written(lootings).encode() for lootings, _ in elements],
            np.array([group for _, group in elements], dtype=int),
            3,
        )
        counted, with_money, copper, drops = Counter[int](), Counter[int](), Counter[int](), Counter[tuple[int, int]]()
        for lootings, group in elements:
            for looting in lootings:
                coins = [int(slot) for slot in looting if ":" not in slot]
                counted[group] += 1
                with_money[group] += bool(coins)
                copper[group] += sum(coins)
                drops.update({(group, int(slot.split(":")[0])) for slot in looting if ":" in slot})
        for column, expected in (
            (found.lootings, counted),
            (found.money_lootings, with_money),
            (found.copper, copper),
        ):
            assert column.tolist() == [expected[group] for group in range(3)]
        columns = (found.drop_group.tolist(), found.drop_item.tolist(), found.drops.tolist())
        assert list(zip(*columns, strict=True)) == [(*key, number) for key, number in sorted(drops.items())]

    check()


BROKEN_LISTS = ["1/1", "1,1/", "/1,", "1/,", "101/1,", "-1/1,", "1/1;", "x/1,", "1/1,2/2", "٣/1,", "1/1,,", "1.2.3/1,"]
BROKEN_LISTS += ["1./1,", ".5/1,", "1/1.55,", "100.00/1,", "1/1,5", "1/", "0-/1,", "-/1,", "/", "-1/-1", "0-1/0-1,"]


@pytest.mark.parametrize("broken", BROKEN_LISTS)
def test_a_broken_list_of_coordinates_is_named(broken: str) -> None:
    with pytest.raises(texts.Broken) as fault:
        texts.coordinates([text.encode() for text in ("1/1,", "", broken, "2/2,")])
    assert fault.value.index == 2


@pytest.mark.parametrize(
    "broken",
    [
        "5#",
        "+#",
        "+:1:1:1#",
        "+99999999999#",
        "+2147483648:0:0:1#",
        "+x#",
        "+5",
        "+12345678x#",
        "+5;#",
        "+5é#",
        "+5:\0#",
    ],
)
def test_a_broken_loot_text_is_named(broken: str) -> None:
    with pytest.raises(texts.Broken) as fault:
        texts.lootings([broken.encode(), b"+5#"], np.zeros(2, dtype=int), 1)
    assert fault.value.index == 0


def test_a_text_that_only_the_reader_refuses_is_blamed_on_no_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it would be if the grammar took something new and the reader had not learnt it."""
    monkeypatch.setattr(grammar, "is_coordinate_list", lambda text: True)
    monkeypatch.setattr(grammar, "is_loot_text", lambda text, version: True)
    with pytest.raises(texts.Disagreement, match="One of 2 texts"):
        texts.coordinates([b"1/1,", b"1;1,"])
    with pytest.raises(texts.Disagreement, match="One of 2 texts"):
        texts.lootings([b"+5#", b"+x#"], np.zeros(2, dtype=int), 1)
