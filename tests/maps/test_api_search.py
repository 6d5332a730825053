from __future__ import annotations

import pytest
from django.db import connections

from maps import queries
from tests.conftest import ALL_DATABASES
from tests.maps import factories as make
from tests.maps.contract import ask, read

pytestmark = ALL_DATABASES


def names(text: str) -> list[str]:
    return [each["name"] for each in queries.search(make.DE, text)]


def creatures(*listed: str) -> None:
    for number, name in enumerate(listed, start=1):
        make.creature(number, name)


def test_creatures_items_and_zones_are_found() -> None:
    creatures("Nadelwolf")
    make.item(7, "Nadelöhr")
    zone = make.zone("Tausend Nadeln")
    make.presence(1, zone, {(1, 1): [1]})
    found = read("search?q=nadel")["results"]
    assert {(each["kind"], each["id"], each["name"]) for each in found} == {
        ("mob", 1, "Nadelwolf"), ("item", 7, "Nadelöhr"), ("zone", zone, "Tausend Nadeln"),
    }  # fmt: skip
    assert [each["score"] for each in found] == sorted((each["score"] for each in found), reverse=True)


def test_the_name_itself_comes_first_then_beginnings_then_words_then_the_rest() -> None:
    creatures("Werwolf", "Grauer Wolf", "Wolfsmensch", "Wolf", "Bär")
    assert names("wolf") == ["Wolf", "Wolfsmensch", "Grauer Wolf", "Werwolf"]


@pytest.mark.parametrize("text", ["Ödländer Bär", "odlander bar", "ÖDLÄNDER BÄR", "ödl", "bär", "Bar", "  bär  "])
def test_accents_and_case_are_ignored(text: str) -> None:
    creatures("Ödländer Bär")
    assert names(text) == ["Ödländer Bär"]


@pytest.mark.parametrize("text", ["lastkdo", "latskodo", "lastkodoo", "defais", "pillger", "defias pilager"])
def test_typing_errors_are_forgiven(text: str) -> None:
    creatures("Lastkodo", "Defias Pillager", "Zwerg", "Onyxia")
    expected = "Defias Pillager" if text[0] in "dp" else "Lastkodo"
    assert names(text)[:1] == [expected]


def test_a_shown_creature_comes_once_under_its_shown_name() -> None:
    make.creature(1, "Wolf", "Wolf", "Wolfi")
    make.creature(make.named_creature("Wolf", shown_as=1))
    make.creature(make.named_creature("Wölfe", number=1))
    assert names("wolf") == ["Wolf", "Wölfe"]
    assert names("wolfi") == ["Wolf", "Wölfe"]


def test_creatures_known_from_skinning_alone_are_found_and_mere_words_are_not() -> None:
    skinned = make.named_creature("Bärchen")
    make.loot(make.source("skinning", skinned), make.zone("Wald"), 1)
    make.named_creature("Bärlauch", number=1)
    make.zone("Bärental")
    assert names("bär") == ["Bärchen"]


def test_nothing_asked_is_nothing_found() -> None:
    creatures("Wolf")
    for query in ("", "?q=", "?q=%20%20"):
        assert read(f"search{query}") == {"results": []}
    assert names("xylophon") == names("wolf\0") == names("wolf " * 30) == []


def test_fifty_at_most_are_found() -> None:
    creatures(*(f"Wolf {number}" for number in range(60)))
    assert len(read("search?q=wolf")["results"]) == 50
    assert len(read("search?q=wolf&limit=1000")["results"]) == 50
    assert len(read("search?q=wolf&limit=3")["results"]) == 3


@pytest.mark.parametrize("text", ["%", "_", "\\", "100%", "a%b", "'", "';--", "\u202e", "😀", "ß", "(", "\ud83d"])
def test_signs_with_a_meaning_elsewhere_are_texts_like_any_other(text: str) -> None:
    creatures("Wolf", "100% sicher", "Unter_strich")
    quoted = text.encode("utf-8", "surrogatepass")
    answer = ask("deDE/search?q=" + "".join(f"%{byte:02x}" for byte in quoted))
    assert answer.status_code == 200
    expected = {"%": "100% sicher", "100%": "100% sicher", "_": "Unter_strich"}
    assert [each["name"] for each in answer.json()["results"]] == ([expected[text]] if text in expected else [])


def test_the_trigram_indexes_are_used() -> None:
    with connections[make.DE].cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for table, index in {
            "creature_name": "creature_search",
            "named_creature": "named_creature_search",
            "item": "item_search",
            "zone": "zone_search",
        }.items():
            cursor.execute(f"EXPLAIN SELECT FROM {table} WHERE 'wolf' <% search_key(name)")
            assert index in str(cursor.fetchall())
