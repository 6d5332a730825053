"""Cursors: opaque texts that say where the next page of a list begins."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import orjson

DEFAULT_LIMIT = 100
MAX_LIMIT = 1000

#: A cursor contains a name (1 to 100 characters) and numbers; a longer text is not a cursor.
MAX_CURSOR_CHARACTERS = 2000

Key = list[Any]


class BadCursor(ValueError):
    """The text is not a cursor of this list."""


def encode(listing: str, key: Key) -> str:
    """Return the cursor after the row with this sort key: `encode("zones", ["Durotar", 14])`."""
    return base64.urlsafe_b64encode(orjson.dumps([listing, *key])).decode().rstrip("=")


def decode(listing: str, types: tuple[type, ...], cursor: str | None) -> Key | None:
    """Return the sort key in a cursor of `listing`, or None for the first page.

    The parts of the key must have exactly the given types. Raises `BadCursor` for anything else, also for
    the cursor of another list: cursors come from clients and can't be trusted.
    """
    if cursor is None:
        return None
    if len(cursor) > MAX_CURSOR_CHARACTERS:
        raise BadCursor(cursor[:40])
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        parts = orjson.loads(raw)
    except (ValueError, binascii.Error):
        raise BadCursor(cursor[:40]) from None
    if not isinstance(parts, list) or parts[:1] != [listing]:
        raise BadCursor(cursor[:40])
    key = parts[1:]
    if [type(part) for part in key] != list(types) or not all(_storable(part) for part in key):
        raise BadCursor(cursor[:40])
    return key


def _storable(part: object) -> bool:
    """Return whether PostgreSQL can store it: no NUL in texts, no number beyond 64 bits."""
    if isinstance(part, str):
        return "\0" not in part
    return not isinstance(part, int) or -(2**63) <= part < 2**63


def before_all(listing: str) -> str:
    """Return the cursor before the first row of a listing by name and id."""
    return encode(listing, ["", 0])
