"""Import item names from a CSV table: read and check all of it, then write it in one transaction.

Uploads contain only item ids; without an import an item is shown with its id.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from django.db import connections, transaction

from maps.publish.sql import load

HEADER = ["id", "name"]
MAX_ID = 2**31 - 1
MAX_NAME_CHARACTERS = 200
MAX_ERRORS = 20

_ID = re.compile(r"[1-9][0-9]{0,9}")


class NamesUnreadable(ValueError):
    """The table is invalid: `errors` has line and reason of up to `MAX_ERRORS` errors."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__("\n".join(errors))
        self.errors = errors


class Import(NamedTuple):
    """How many names an import adds, changes and leaves as they are."""

    added: int
    changed: int
    unchanged: int


def read_items(body: bytes) -> dict[int, str]:
    """Return the names in a CSV table by item id: `b"id,name\\n17,Worn Kettle\\n"` → `{17: "Worn Kettle"}`.

    It must be UTF-8 (a byte-order mark is allowed) with the header `id,name`. Raises `NamesUnreadable`
    for anything else, with line numbers.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = body[: error.start].count(b"\n") + 1
        raise NamesUnreadable([f"line {line}: not UTF-8. Save the table as UTF-8 and try again"]) from error
    names: dict[int, str] = {}
    lines: dict[int, int] = {}
    errors: list[str] = []
    try:
        for line, row in _rows(text):
            fault = _fault(row)
            if not fault and int(row[0]) in lines:
                fault = f"id {row[0]} again, it is on line {lines[int(row[0])]}"
            if fault:
                errors.append(f"line {line}: {fault}")
                if len(errors) == MAX_ERRORS:
                    break
            else:
                names[int(row[0])], lines[int(row[0])] = row[1], line
    except csv.Error as error:
        errors.append(f"after line {max(lines.values(), default=1)}: not CSV ({error})")
    if errors:
        raise NamesUnreadable(errors)
    return names


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and fields of all rows below the header; blank lines are skipped."""
    table = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(table, [])
    if header != HEADER:
        raise NamesUnreadable([f"line 1: expected the header id,name, found {','.join(header)[:80]!r}"])
    for row in table:
        if row:
            yield table.line_num, row


def _fault(row: list[str]) -> str:
    """Return what is wrong with a row's fields, an empty text if nothing is."""
    if len(row) != len(HEADER):
        return f"expected 2 fields, id and name, found {len(row)}. A name with a comma needs quotes"
    number, name = row
    if not _ID.fullmatch(number) or int(number) > MAX_ID:
        return f"expected an id from 1 to {MAX_ID}, found {number[:40]!r}"
    if not name.strip():
        return f"item {number} has no name"
    if len(name) > MAX_NAME_CHARACTERS:
        return f"the name of item {number} has {len(name)} characters, at most {MAX_NAME_CHARACTERS} are allowed"
    if any(unicodedata.category(character) == "Cc" for character in name):
        return f"the name of item {number} contains a control character: {name[:40]!r}"
    return ""


def import_items(alias: str, names: dict[int, str], *, dry_run: bool = False) -> Import:
    """Add or change item names in a locale's database and return how many changed.

    Names that are not in the table stay. With `dry_run` nothing but a temporary table is written.
    """
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE imported_item (id integer, name text)")
        with cursor.copy("COPY imported_item (id, name) FROM STDIN") as copy:
            for row in names.items():
                copy.write_row(row)
        if not dry_run:  # two imports must not run at once, or the counts of one would be wrong
            cursor.execute("LOCK TABLE item IN SHARE ROW EXCLUSIVE MODE")
        cursor.execute(load("count_item_changes.sql"))
        result = Import(*cursor.fetchone())
        if not dry_run:
            cursor.execute(load("invalidate_renamed_items.sql"))
            cursor.execute(load("upsert_items.sql"))
        cursor.execute("DROP TABLE imported_item")  # now, because an outer transaction may contain another import
    return result
