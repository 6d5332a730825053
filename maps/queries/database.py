"""Run the SQL files of `maps/sql/`: one purpose each, bound parameters only."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from django.db import connections

from maps import words

SQL_DIR = Path(__file__).resolve().parent.parent / "sql"

Row = dict[str, Any]


@cache
def statement(name: str) -> str:
    """Return the text of `maps/sql/<name>.sql`."""
    return (SQL_DIR / f"{name}.sql").read_text(encoding="utf-8")


def rows(alias: str, name: str, **parameters: Any) -> list[Row]:
    """Run `maps/sql/<name>.sql` in a locale's database and return its rows as dicts by column.

    Beside `parameters` every statement may use `creature_word` and `item_word` (`maps.words`).
    """
    parameters |= {"creature_word": words.creature(alias), "item_word": words.item(alias)}
    with connections[alias].cursor() as cursor:
        cursor.execute(statement(name), parameters)
        columns = [column.name for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def row(alias: str, name: str, **parameters: Any) -> Row | None:
    """Run a statement that finds one row at most."""
    found = rows(alias, name, **parameters)
    return found[0] if found else None
