"""Find creatures, items and zones by name."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db import transaction

from maps.queries.database import Row, rows

MAX_RESULTS = 50

#: As many as a name may have.
MAX_CHARACTERS = 100

#: Least word similarity (0…1): two letters swapped within a word of eight leave 0.38, other words of like length
#: 0.33. Two letters swapped at the end of one of six, or one too many, too few or wrong, leave more than 0.5, and few
#: names are that much alike: with it is looked first.
LEAST_ALIKE, MUCH_ALIKE = "0.35", "0.5"

#: Shorter words have no whole trigram, so the indexes can find them only where words begin.
INDEXED_ANYWHERE = 3

#: By so many words of a text, its longest, names are looked up; for the order all of them count.
MOST_WORDS = 3

#: Of so many names is told how alike they are, 10 µs each: of those that words begin (ordered before, and times the
#: results, for some are names that nothing refers to), and of each kind of the others.
BEGINNING_PER_RESULT, MOST_ALIKE = 20, 1000


class Attempt(NamedTuple):
    """One way of looking names up: by which words, where they may stand, and how alike they must be."""

    wide: bool
    words: list[str]
    least_alike: str


def search(alias: str, text: str, limit: int = MAX_RESULTS) -> list[Row]:
    """Return what is named like a text, the best first: `[{"kind", "id", "name", "score"}]`.

    `kind` is `mob`, `item` or `zone`. Accents and case are ignored, typing errors forgiven. Names that are the text
    come before those that begin with it, those where it stands at the beginning of a word, those with words that
    begin with each of its words, and all others. A text that no name can be like (longer than one, or with a NUL)
    finds nothing.
    """
    text = text.strip()
    if not text or len(text) > MAX_CHARACTERS or "\0" in text:
        return []
    wanted = min(limit, MAX_RESULTS)
    found: dict[tuple[str, int], Row] = {}
    with transaction.atomic(using=alias):
        key = rows(alias, "search_key", text=text)[0]["key"]
        for attempt in _attempts(key):
            for row in _look(alias, key, attempt, wanted):
                found.setdefault((row["kind"], row["id"]), row)
            if len(found) >= wanted:
                break
    return sorted(found.values(), key=lambda row: (-row["score"], row["kind"], row["id"]))[:wanted]


def _attempts(key: str) -> list[Attempt]:
    """Return what is tried until enough is found.

    Each attempt takes longer than the one before and finds names that are less alike. Most texts that are being
    typed begin words, and then the first is enough.
    """
    words = _words(key)
    attempts = [
        Attempt(False, words, LEAST_ALIKE),
        *(Attempt(True, words, least) for least in (MUCH_ALIKE, LEAST_ALIKE)),
    ]
    return attempts if len(words) == 1 else [*attempts, Attempt(True, [key], LEAST_ALIKE)]


def _words(key: str) -> list[str]:
    """Return the words that names are looked up by, the longest first: `_words("of the bear")` → bear, the, of."""
    return sorted(dict.fromkeys(key.split()), key=len, reverse=True)[:MOST_WORDS] or [key]


def _look(alias: str, key: str, attempt: Attempt, wanted: int) -> list[Row]:
    """Return what one attempt finds, the best first."""
    escaped = _escaped(key)
    parameters: dict[str, Any] = {
        **{"key": key, "starts": f" {escaped}%", "word": f"% {escaped}%", "whole": f"% {escaped} %"},
        **_numbered("begins", [f"% {_escaped(word)}%" for word in _words(key)]),
        **_numbered("alike", attempt.words),
        **_numbered("holds", [_holding(word) for word in attempt.words]),
        **{"wide": attempt.wide, "rows": wanted},
        "most": MOST_ALIKE if attempt.wide else BEGINNING_PER_RESULT * wanted,
    }
    if attempt.wide:
        rows(alias, "search_threshold", alike=attempt.least_alike)
    return rows(alias, "search", **parameters)


def _numbered(name: str, values: list[str]) -> dict[str, str | None]:
    """Return parameters: `_numbered("alike", ["bear"])` → `{"alike_1": "bear", "alike_2": None, "alike_3": None}`."""
    return {f"{name}_{place + 1}": values[place] if place < len(values) else None for place in range(MOST_WORDS)}


def _holding(word: str) -> str:
    """Return a pattern for names that hold a word: anywhere, if the indexes can tell, or where a word begins."""
    return f"% {_escaped(word)}%" if len(word) < INDEXED_ANYWHERE and word.isalnum() else f"%{_escaped(word)}%"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
