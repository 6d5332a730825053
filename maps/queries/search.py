"""Find creatures, items and zones by name."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db import transaction

from maps.queries.database import rows
from maps.queries.shapes import Row

MAX_RESULTS = 50

#: The length limit of names.
MAX_CHARACTERS = 100

#: Thresholds of word similarity (0…1). Two letters swapped within a word of eight leave 0.38; different words of
#: similar length have 0.33. Two letters swapped at the end of a word of six, or one letter added, missing or wrong,
#: leave more than 0.5. Few names are that similar, so the higher threshold is tried first.
LOW_SIMILARITY, HIGH_SIMILARITY = "0.35", "0.5"

#: Shorter words have no complete trigram, so the indexes find them only at the beginning of words.
INDEXED_ANYWHERE = 3

#: Names are looked up by this many words of a text, the longest ones. The order of the results depends on all words.
MAX_WORDS = 3

#: Limits for how many names the similarity is computed of, which takes 10 µs each: prefix matches per wanted result
#: (some of them are names that nothing refers to), and fuzzy matches of each kind.
PREFIX_MATCHES_PER_RESULT, MAX_FUZZY_MATCHES = 20, 1000


class Attempt(NamedTuple):
    """One way of looking names up: `fuzzy` or by prefixes of words only, by which words, and the least similarity."""

    fuzzy: bool
    words: list[str]
    min_similarity: str


def search(alias: str, text: str, limit: int = MAX_RESULTS) -> list[Row]:
    """Return what has a name like `text`, the best match first: `[{"kind", "id", "name", "score"}]`.

    `kind` is `mob`, `item` or `zone`. Accents, case and small typing errors are ignored. Names equal to the text
    come first, then those that begin with it, those that have it at the beginning of a word, those with words that
    begin with each of its words, and all others. A text that no name can resemble (too long, or with a NUL)
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
            for row in _try(alias, key, attempt, wanted):
                found.setdefault((row["kind"], row["id"]), row)
            if len(found) >= wanted:
                break
    return sorted(found.values(), key=lambda row: (-row["score"], row["kind"], row["id"]))[:wanted]


def _attempts(key: str) -> list[Attempt]:
    """Return the attempts in the order they are made until enough is found.

    Each attempt is slower than the one before and finds less similar names. Texts that are being typed are mostly
    prefixes of words, and then the first attempt is enough.
    """
    words = _words(key)
    attempts = [
        Attempt(False, words, LOW_SIMILARITY),
        *(Attempt(True, words, least) for least in (HIGH_SIMILARITY, LOW_SIMILARITY)),
    ]
    return attempts if len(words) == 1 else [*attempts, Attempt(True, [key], LOW_SIMILARITY)]


def _words(key: str) -> list[str]:
    """Return the words that names are looked up by, the longest first: `_words("of the bear")` → bear, the, of."""
    return sorted(dict.fromkeys(key.split()), key=len, reverse=True)[:MAX_WORDS] or [key]


def _try(alias: str, key: str, attempt: Attempt, wanted: int) -> list[Row]:
    """Return what one attempt finds, the best match first."""
    escaped = _escaped(key)
    parameters: dict[str, Any] = {
        **{"key": key, "starts": f" {escaped}%", "word_starts": f"% {escaped}%", "word": f"% {escaped} %"},
        **_numbered("prefix", [f"% {_escaped(word)}%" for word in _words(key)]),
        **_numbered("similar", attempt.words),
        **_numbered("contains", [_containing(word) for word in attempt.words]),
        **{"fuzzy": attempt.fuzzy, "rows": wanted},
        "candidates": MAX_FUZZY_MATCHES if attempt.fuzzy else PREFIX_MATCHES_PER_RESULT * wanted,
    }
    if attempt.fuzzy:
        rows(alias, "search_threshold", similarity=attempt.min_similarity)
    return rows(alias, "search", **parameters)


def _numbered(name: str, values: list[str]) -> dict[str, str | None]:
    """Return parameters: `_numbered("similar", ["bear"])` → `{"similar_1": "bear", "similar_2": None, …}`."""
    return {f"{name}_{index + 1}": values[index] if index < len(values) else None for index in range(MAX_WORDS)}


def _containing(word: str) -> str:
    """Return a LIKE pattern for names that contain a word: anywhere if the indexes allow it, else where words begin."""
    return f"% {_escaped(word)}%" if len(word) < INDEXED_ANYWHERE and word.isalnum() else f"%{_escaped(word)}%"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
