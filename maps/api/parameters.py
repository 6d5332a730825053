"""Read query parameters: each function returns a valid value or raises `BadParameter`."""

from __future__ import annotations

from django.http import HttpRequest

from core.problems import BadParameter
from maps import paging

#: The largest integer of PostgreSQL, the type of zones and floors.
MAX_INT4 = 2**31 - 1

#: The suffixes that uploads append to an instance's name, and `none` for lootings without any of them.
DIFFICULTIES = {
    "none": "",
    "HEROIC": "HEROIC",
    "RAID1N": "RAID1N",
    "RAID2N": "RAID2N",
    "RAID1H": "RAID1H",
    "RAID2H": "RAID2H",
}


def refuse(name: str, code: str, message: str) -> BadParameter:
    """Return the problem for one parameter, with a message and a code."""
    return BadParameter(message, errors=[{"where": name, "code": code, "message": message}])


def integer(request: HttpRequest, name: str, low: int, high: int) -> int | None:
    """Return a whole number from `low` to `high`, or None when the parameter is missing or empty."""
    raw = request.GET.get(name, "")
    if not raw:
        return None
    # Nineteen digits are enough for any id; int() would also accept blanks, signs and digits of other scripts.
    if not (raw.isascii() and raw.isdigit() and len(raw) <= 19):
        raise refuse(
            name, "not-a-number", f"The parameter `{name}` must be a whole number, written with the digits 0 to 9."
        )
    value = int(raw)
    if not low <= value <= high:
        raise refuse(name, "out-of-range", f"The parameter `{name}` must be from {low} to {high}; it was {value}.")
    return value


def required(request: HttpRequest, name: str, low: int, high: int) -> int:
    """Return a whole number as `integer` does, or refuse a request without it."""
    value = integer(request, name, low, high)
    if value is None:
        raise refuse(name, "missing", f"The parameter `{name}` is needed here, for example `?{name}={low}`.")
    return value


def limit(request: HttpRequest) -> int:
    """Return the number of entries per page."""
    value = integer(request, "limit", 1, paging.MAX_LIMIT)
    return paging.DEFAULT_LIMIT if value is None else value


def cursor(request: HttpRequest) -> str | None:
    """Return the cursor as it is: the list that it belongs to decodes it."""
    return request.GET.get("cursor") or None


def floor(request: HttpRequest) -> int | None:
    """Return the requested floor, or None for all."""
    return integer(request, "floor", 0, MAX_INT4)


def choice(request: HttpRequest, name: str, choices: list[str]) -> str | None:
    """Return one of the given words, or None when the parameter is missing or empty."""
    value = request.GET.get(name, "")
    if value and value not in choices:
        raise refuse(name, "unknown-value", f"The parameter `{name}` must be one of {', '.join(choices)}.")
    return value or None


def difficulty(request: HttpRequest) -> str | None:
    """Return the requested difficulty as in the tables ('' for none), or None for the sum of all."""
    value = choice(request, "difficulty", list(DIFFICULTIES))
    return None if value is None else DIFFICULTIES[value]


def search_text(request: HttpRequest, name: str, max_characters: int) -> str:
    """Return a text without control characters: names contain none, and PostgreSQL accepts no NUL."""
    value = request.GET.get(name, "")
    if len(value) > max_characters:
        raise refuse(
            name, "too-long", f"The parameter `{name}` may have {max_characters} characters; it had {len(value)}."
        )
    if any(ord(character) < 32 or 127 <= ord(character) < 160 for character in value):
        raise refuse(name, "control-character", f"The parameter `{name}` must not hold control characters.")
    return value
