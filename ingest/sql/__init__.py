"""The set work of ingest: one statement a file, each with what it reads, writes and locks at its head."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from psycopg import sql

_HERE = Path(__file__).parent


@cache
def load(name: str, *identifiers: str) -> sql.Composed:
    """Return a statement; `{}` in it are replaced by quoted identifiers, values are bound parameters."""
    text = (_HERE / name).read_text(encoding="utf-8")
    return sql.SQL(text).format(*(sql.Identifier(identifier) for identifier in identifiers))
