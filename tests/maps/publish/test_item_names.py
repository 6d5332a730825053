"""Importing item names from a table."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from maps.models import Item
from maps.publish.item_names import NamesUnreadable, read_items
from tests.conftest import ALL_DATABASES

pytestmark = ALL_DATABASES


@pytest.fixture
def table(tmp_path: Path):
    def write(body: str | bytes) -> Path:
        path = tmp_path / "items.csv"
        path.write_bytes(body.encode() if isinstance(body, str) else body)
        return path

    return write


def run(file: Path, locale: str = "deDE", **options) -> str:
    out = StringIO()
    call_command("import_names", "items", file, locale=locale, stdout=out, **options)
    return out.getvalue().strip()


def stored(alias: str = "map_deDE") -> dict[int, str]:
    return dict(Item.objects.using(alias).values_list("id", "name"))


def test_names_are_added_changed_and_left_as_they_are(table):
    assert run(table("id,name\n17,Kessel\n18,Haken\n")) == "deDE: 2 added, 0 changed, 0 unchanged"
    assert run(table("id,name\n17,Großer Kessel\n18,Haken\n19,Ranzen\n")) == "deDE: 1 added, 1 changed, 1 unchanged"
    assert stored() == {17: "Großer Kessel", 18: "Haken", 19: "Ranzen"}


def test_an_import_may_be_repeated(table):
    file = table("id,name\n17,Kessel\n")
    run(file)
    assert run(file) == "deDE: 0 added, 0 changed, 1 unchanged"
    assert stored() == {17: "Kessel"}


def test_names_that_the_table_does_not_list_stay(table):
    run(table("id,name\n17,Kessel\n"))
    run(table("id,name\n18,Haken\n"))
    assert stored() == {17: "Kessel", 18: "Haken"}


def test_a_dry_run_counts_the_same_and_writes_nothing(table):
    run(table("id,name\n17,Kessel\n18,Haken\n"))
    file = table("id,name\n17,Topf\n18,Haken\n19,Ranzen\n")
    promised = run(file, dry_run=True)
    assert stored() == {17: "Kessel", 18: "Haken"}
    assert promised == run(file) + " (dry run: nothing was written)"


def test_each_locale_has_its_own_names(table):
    run(table("id,name\n17,Kettle\n"), locale="enUS")
    assert stored("map_enUS") == {17: "Kettle"}
    assert stored("map_deDE") == {}


def test_british_names_are_american_ones(table):
    assert run(table("id,name\n17,Kettle\n"), locale="enGB").startswith("enUS: 1 added")


def test_a_table_of_a_hundred_thousand_names_is_imported(table):
    rows = "".join(f"{item},Ding {item}\n" for item in range(1, 100_001))
    assert run(table(f"id,name\n{rows}")) == "deDE: 100,000 added, 0 changed, 0 unchanged"


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("id,name\n", {}),
        ("\ufeffid,name\n17,Kessel\n", {17: "Kessel"}),
        ("id,name\r\n17,Kessel\r\n", {17: "Kessel"}),
        ("id,name\n17,Kessel", {17: "Kessel"}),
        ('id,name\n17,"Kessel, alt, mit ""Henkel"""\n', {17: 'Kessel, alt, mit "Henkel"'}),
        ("id,name\n2147483647,<b>Ünd</b> \U0001f427\n", {2147483647: "<b>Ünd</b> \U0001f427"}),
        ("id,name\n\n17, Kessel\n\n", {17: " Kessel"}),
        ("id,name\n17,a\\b\tc\n".replace("\t", "\\t"), {17: "a\\b\\tc"}),
    ],
)
def test_valid_tables_are_read_as_they_are(body, names):
    assert read_items(body.encode()) == names


def test_backslashes_and_the_letter_n_reach_the_table_unchanged(table):
    run(table("id,name\n17,\\N\n18,a\\nb\n"))
    assert stored() == {17: "\\N", 18: "a\\nb"}


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", "line 1: expected the header id,name, found ''"),
        (b"17,Kessel\n", "line 1: expected the header id,name, found '17,Kessel'"),
        (b"name,id\nKessel,17\n", "line 1: expected the header id,name, found 'name,id'"),
        (b"id,name\n17,Kessel\n18,Gro\xdfer\n", "line 3: not UTF-8"),
        ("id,name\n17,Kessel\n".encode("utf-16"), "line 1: not UTF-8"),
        (b"id,name\n17\n", "line 2: expected 2 fields, id and name, found 1"),
        (b"id,name\n17,Kessel, alt\n", "line 2: expected 2 fields, id and name, found 3"),
        (b"id,name\n0,Kessel\n", "line 2: expected an id from 1 to 2147483647, found '0'"),
        (b"id,name\n-1,Kessel\n", "found '-1'"),
        (b"id,name\n017,Kessel\n", "found '017'"),
        (b"id,name\n1e9,Kessel\n", "found '1e9'"),
        (b"id,name\n2147483648,Kessel\n", "found '2147483648'"),
        ("id,name\n١٧,Kessel\n".encode(), "found '١٧'"),
        (b"id,name\n17,\n", "line 2: item 17 has no name"),
        (b"id,name\n17,  \n", "line 2: item 17 has no name"),
        (b"id,name\n17," + b"a" * 201 + b"\n", "has 201 characters, at most 200"),
        (b"id,name\n17,Kes\x00sel\n", "control character"),
        (b'id,name\n17,"Kes\nsel"\n', "control character"),
        (b"id,name\n17,Kessel\n18,Haken\n17,Topf\n", "line 4: id 17 again, it is on line 2"),
        (b'id,name\n17,"Kessel\n', "after line 1: not CSV"),
        (b'id,name\n17,"Kessel" alt\n', "not CSV"),
    ],
)
def test_invalid_tables_are_refused_with_the_line(body, error):
    with pytest.raises(NamesUnreadable) as refused:
        read_items(body)
    assert error in str(refused.value)


def test_one_invalid_line_refuses_the_whole_table(table):
    with pytest.raises(CommandError, match="nothing is changed"):
        run(table("id,name\n17,Kessel\n18,\n19,Ranzen\n"))
    assert stored() == {}


def test_at_most_twenty_errors_are_reported(table):
    with pytest.raises(CommandError) as refused:
        run(table("id,name\n" + "x,y\n" * 50))
    assert str(refused.value).count("line ") == 20
    assert "There may be more" in str(refused.value)


def test_a_locale_that_is_not_hosted_is_refused_with_those_that_are(table):
    with pytest.raises(CommandError, match=r"no map for frFR\. It hosts enUS, deDE"):
        run(table("id,name\n"), locale="frFR")


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(CommandError, match="Could not read"):
        run(tmp_path / "nowhere.csv")
