"""SQL files: one statement or short script per file, with a header that says what it reads, writes and locks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from psycopg import sql


def loader(package_file: str) -> Callable[..., str]:
    """Return a function that loads the SQL files beside `package_file`.

    `load("copy.sql", "hot_0", "staged_loot")` returns the statement with `{0}` and `{1}` replaced by quoted
    identifiers; without identifiers it returns the text as it is. Values are bound parameters (`%(name)s`).
    """
    folder = Path(package_file).parent

    @cache
    def load(name: str, *identifiers: str) -> str:
        text = (folder / name).read_text(encoding="utf-8")
        return sql.SQL(text).format(*map(sql.Identifier, identifiers)).as_string() if identifiers else text

    return load
