"""Find creatures, items and zones by name."""

from __future__ import annotations

from django.db import transaction

from maps.queries.database import Row, rows

MAX_RESULTS = 50

#: As many as a name may have.
MAX_CHARACTERS = 100

#: Least word similarity (0…1): two letters swapped within a word of eight leave 0.38, other words of like length 0.33.
LEAST_ALIKE = "0.35"

#: Shorter words have no whole trigram, so the indexes can find them only where words begin.
INDEXED_ANYWHERE = 3


def search(alias: str, text: str, limit: int = MAX_RESULTS) -> list[Row]:
    """Return what is named like a text, the best first: `[{"kind", "id", "name", "score"}]`.

    `kind` is `mob`, `item` or `zone`. Accents and case are ignored, typing errors forgiven. Names that
    are the text come before those that begin with it, those with a word that does, and all others.
    A text that no name can be like (longer than one, or with a NUL) finds nothing.
    """
    text = text.strip()
    if not text or len(text) > MAX_CHARACTERS or "\0" in text:
        return []
    with transaction.atomic(using=alias):
        key = rows(alias, "search_key", text=text, alike=LEAST_ALIKE)[0]["key"]
        escaped = key.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        patterns = {
            "starts": f"{escaped}%",
            "word": f"% {escaped}%",
            "holds": f"{escaped}%" if len(key) < INDEXED_ANYWHERE and key.isalnum() else f"%{escaped}%",
        }
        wanted = min(limit, MAX_RESULTS)
        # Most texts that are being typed begin words; then those that are merely like them can't be among the best.
        found = rows(alias, "search", key=key, **patterns, wide=False, rows=wanted)
        return found if len(found) == wanted else rows(alias, "search", key=key, **patterns, wide=True, rows=wanted)
