"""Cursors: encoded, decoded, refused."""

from __future__ import annotations

import base64
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maps import paging


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=100), st.integers(1, 2**62))
def test_a_cursor_decodes_to_its_key(name: str, number: int) -> None:
    assert paging.decode("mobs", (str, int), paging.encode("mobs", [name, number])) == [name, number]


def test_no_cursor_is_the_first_page() -> None:
    assert paging.decode("mobs", (str, int), None) is None


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "ä",
        "====",
        "a" * 3000,
        encoded("not json"),
        encoded("{}"),
        encoded("[]"),
        encoded('["mobs"]'),
        encoded('["zones", "a", 1]'),
        encoded('["mobs", 1, "a"]'),
        encoded('["mobs", "a", true]'),
        encoded('["mobs", "a", 1, 2]'),
        encoded('["mobs", "a\\u0000", 1]'),
        encoded('["mobs", "a", 9223372036854775808]'),
        encoded('["mobs", "a", 1e400]'),
    ],
)
def test_other_texts_than_cursors_of_the_list_are_refused(cursor: str) -> None:
    with pytest.raises(paging.BadCursor):
        paging.decode("mobs", (str, int), cursor)


@given(st.text())
def test_any_text_is_decoded_or_refused(cursor: str) -> None:
    with suppress(paging.BadCursor):
        assert paging.decode("mobs", (str, int), cursor) is not None
