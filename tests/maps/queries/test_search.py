"""Search by name: which names match, in which order, and at what cost."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connections

from maps import queries
from tests.conftest import ALL_DATABASES
from tests.maps import factories as make
from tests.maps.api.contract import ask, read

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
    make.habitat(1, zone, {(1, 1): [1]})
    found = read("search?q=nadel")["results"]
    assert {(each["kind"], each["id"], each["name"]) for each in found} == {
        ("mob", 1, "Nadelwolf"), ("item", 7, "Nadelöhr"), ("zone", zone, "Tausend Nadeln"),
    }  # fmt: skip
    assert [each["score"] for each in found] == sorted((each["score"] for each in found), reverse=True)


def test_equal_names_come_first_then_prefixes_then_words_then_all_others() -> None:
    creatures("Werwolf", "Grauer Wolf", "Wolfsmensch", "Wolf", "Bär")
    assert names("wolf") == ["Wolf", "Wolfsmensch", "Grauer Wolf", "Werwolf"]


@pytest.mark.parametrize("text", ["Ödländer Bär", "odlander bar", "ÖDLÄNDER BÄR", "ödl", "bär", "Bar", "  bär  "])
def test_accents_and_case_are_ignored(text: str) -> None:
    creatures("Ödländer Bär")
    assert names(text) == ["Ödländer Bär"]


@pytest.mark.parametrize("text", ["lastkdo", "latskodo", "lastkodoo", "defais", "pillger", "defias pilager"])
def test_small_typing_errors_are_ignored(text: str) -> None:
    creatures("Lastkodo", "Defias Pillager", "Zwerg", "Onyxia")
    expected = "Defias Pillager" if text[0] in "dp" else "Lastkodo"
    assert names(text)[:1] == [expected]


def test_a_creature_occurs_once_under_the_name_it_is_shown_as() -> None:
    make.creature(1, "Wolf", "Wolf", "Wolfi")
    make.creature(make.named_creature("Wolf", shown_as=1))
    make.creature(make.named_creature("Wölfe", number=1))
    assert names("wolf") == ["Wolf", "Wölfe"]
    assert names("wolfi") == ["Wolf", "Wölfe"]


def test_creatures_known_from_skinning_alone_are_found_and_unused_names_are_not() -> None:
    skinned = make.named_creature("Bärchen")
    make.loot(make.source("skinning", skinned), make.zone("Wald"), 1)
    make.named_creature("Bärlauch", number=1)
    make.zone("Bärental")
    assert names("bär") == ["Bärchen"]


def test_an_empty_text_has_no_results() -> None:
    creatures("Wolf")
    for query in ("", "?q=", "?q=%20%20"):
        assert read(f"search{query}") == {"results": []}
    assert names("xylophon") == names("wolf\0") == names("wolf " * 30) == []


def test_at_most_fifty_results_are_returned() -> None:
    creatures(*(f"Wolf {number}" for number in range(60)))
    assert len(read("search?q=wolf")["results"]) == 50
    assert len(read("search?q=wolf&limit=1000")["results"]) == 50
    assert len(read("search?q=wolf&limit=3")["results"]) == 3


@pytest.mark.parametrize("text", ["%", "_", "\\", "100%", "a%b", "'", "';--", "\u202e", "😀", "ß", "(", "\ud83d"])
def test_special_characters_are_searched_literally(text: str) -> None:
    creatures("Wolf", "100% sicher", "Unter_strich")
    quoted = text.encode("utf-8", "surrogatepass")
    answer = ask("deDE/search?q=" + "".join(f"%{byte:02x}" for byte in quoted))
    assert answer.status_code == 200
    expected = {"%": "100% sicher", "100%": "100% sicher", "_": "Unter_strich"}
    assert [each["name"] for each in answer.json()["results"]] == ([expected[text]] if text in expected else [])


TABLES = {
    "creature_name": "creature_search",
    "named_creature": "named_creature_search",
    "item": "item_search",
    "zone": "zone_search",
}


@pytest.mark.parametrize(("table", "index"), TABLES.items())
@pytest.mark.parametrize("condition", ["'wolf' <% searched", "searched LIKE '% wolf%'", "searched LIKE '%wolf%'"])
def test_the_trigram_indexes_are_used(table: str, index: str, condition: str) -> None:
    """The planner may prefer a scan of a table this small; without that it must use the index."""
    with connections[make.DE].cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_indexscan = off")
        cursor.execute("SET LOCAL enable_indexonlyscan = off")
        cursor.execute(f"EXPLAIN SELECT FROM {table} WHERE {condition}")
        assert f"Bitmap Index Scan on {index}" in str(cursor.fetchall())


@pytest.mark.parametrize("table", TABLES)
def test_the_search_key_is_updated_with_the_name(table: str) -> None:
    creatures("Ödländer Bär")
    make.item(7, "Ödländer Bär")
    make.zone("Ödländer Bär")
    make.named_creature("Ödländer Bär")
    with connections[make.DE].cursor() as cursor:
        cursor.execute(f"SELECT searched FROM {table}")
        assert cursor.fetchall() == [(" odlander bar",)]
        cursor.execute(f"UPDATE {table} SET name = 'Große Öde' RETURNING searched")
        assert cursor.fetchall() == [(" grosse ode",)]


@pytest.mark.parametrize("text", ["ash mor", "mor ash", "morlock ashen", "the bear ring", "ring bear of"])
def test_words_are_found_in_any_order_by_their_beginnings(text: str) -> None:
    creatures("Ashen Morlock", "Morlock", "Ashen Guard")
    make.item(7, "Ring of the Bear")
    make.item(8, "Ring of the Owl")
    expected = "Ring of the Bear" if "bear" in text else "Ashen Morlock"
    assert names(text)[0] == expected


def test_the_whole_text_at_the_beginning_of_a_word_comes_before_separate_words() -> None:
    creatures("Wolf of the Guard", "Guard Wolf", "Old Wolf Guard", "Wolf Guardian", "Wolf Guard", "Wolf Gard")
    assert names("wolf guard")[:4] == ["Wolf Guard", "Wolf Guardian", "Old Wolf Guard", "Guard Wolf"]
    assert set(names("wolf guard")[4:]) == {"Wolf of the Guard", "Wolf Gard"}


def test_the_best_matches_are_found_among_very_many_similar_names() -> None:
    """The similarity is computed of a limited number of names, which must include the best ones."""
    with connections[make.DE].cursor() as cursor:
        cursor.execute(
            "INSERT INTO item (id, name) SELECT n, 'Ashen Thing of Mornings ' || n FROM generate_series(1, 3000) AS n"
        )
    make.item(5001, "Ash Mor")
    make.item(5002, "Ashmaw Mordai")
    make.item(5003, "The Ash Morass")
    assert names("ash mor")[:3] == ["Ash Mor", "The Ash Morass", "Ashmaw Mordai"]
    assert names("ashmaw mordia")[0] == "Ashmaw Mordai"
    assert names("ahsmaw mordai")[0] == "Ashmaw Mordai"


TYPED = [
    *("as", "ash", "ash m", "ash mor", "ashmaw mordai", "ahsmaw", "ashmax thron", "mor ash storm wing"),
    *("of the", "rn", "mo as", "wnig of storm", "xylophon", "ash xylophon", "ash ash ash ash", "a b c d"),
]
#: Creatures and items of a whole game, with few different words: "ashmor stormwing", "ashmor of the maw".
WHOLE_GAME = """
WITH words AS (SELECT ARRAY['ash', 'mor', 'maw', 'hoof', 'storm', 'wing', 'dai', 'gul', 'thorn', 'bri', 'ka'] AS w)
, creatures AS (
    INSERT INTO creature_name (creature, name, uploads)
    SELECT n, w[1 + n % 11] || w[1 + n / 11 % 11] || ' ' || w[1 + n / 121 % 11] || w[1 + n / 1331 % 11], 1
    FROM words, generate_series(1, 50000) AS n
)
INSERT INTO item (id, name)
SELECT n, w[1 + n % 11] || w[1 + n / 11 % 11] || ' ' || w[1 + n / 121 % 11] || ' of the ' || w[1 + n / 1331 % 11]
FROM words, generate_series(1, 60000) AS n
"""


#: Limit for the rows that all steps of a search process: each of the names three times. Counted instead of timed,
#: because times depend on what else the machine is doing.
MAX_ROWS = 330_000


def test_a_search_reads_few_rows_of_50_000_creatures_and_60_000_items() -> None:
    with connections[make.DE].cursor() as cursor:
        cursor.execute(WHOLE_GAME)
        cursor.execute("INSERT INTO creature SELECT n, 1, 1, false, '{0,0,0,0,0,0}', 1, now(), now(), '{}', '{}'"
                       " FROM generate_series(1, 50000) AS n")  # fmt: skip
        for table, index in TABLES.items():
            cursor.execute("SELECT gin_clean_pending_list(%s::regclass)", [index])
            cursor.execute(f"ANALYZE {table}")
    handled: list[int] = []

    def explained(execute, statement, parameters, many, context):
        written = statement if isinstance(statement, str) else statement.as_string(None)
        if "FROM" in written and not written.startswith(EXPLAIN):
            context["cursor"].execute(EXPLAIN + written, parameters)
            handled.append(_rows(context["cursor"].fetchone()[0][0]["Plan"]))
        return execute(statement, parameters, many, context)

    for text in TYPED:
        handled.clear()
        with connections[make.DE].execute_wrapper(explained):
            queries.search(make.DE, text, 8)
        assert 0 < sum(handled) < MAX_ROWS, f"{text!r} takes {sum(handled):,} rows"


EXPLAIN = "EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) "


def _rows(plan: dict[str, Any]) -> int:
    """Return the number of rows that all steps of a plan returned or discarded."""
    thrown_away = sum(plan.get(f"Rows Removed by {step}", 0) for step in ("Filter", "Index Recheck", "Join Filter"))
    own = (plan["Actual Rows"] + thrown_away) * plan["Actual Loops"]
    return int(own) + sum(_rows(step) for step in plan.get("Plans", []))
