"""Run the SQL files of `maps/queries/sql/`."""

from __future__ import annotations

from typing import Any

from django.db import connections

from maps.queries import placeholders
from maps.queries.shapes import Row
from maps.queries.sql import load


def rows(alias: str, name: str, **parameters: Any) -> list[Row]:
    """Run `maps/queries/sql/<name>.sql` in a locale's database and return its rows as dicts by column.

    In addition to `parameters` every statement may use `creature_word` and `item_word` (`maps.queries.placeholders`).
    """
    parameters |= {"creature_word": placeholders.creature(alias), "item_word": placeholders.item(alias)}
    with connections[alias].cursor() as cursor:
        cursor.execute(load(f"{name}.sql"), parameters)
        columns = [column.name for column in cursor.description]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def row(alias: str, name: str, **parameters: Any) -> Row | None:
    """Run a statement that returns at most one row, and return that row or None."""
    found = rows(alias, name, **parameters)
    return found[0] if found else None
