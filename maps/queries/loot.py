"""Loot tables: what sources that are counted as one gave, how often."""

from __future__ import annotations

from maps.estimate import rates
from maps.queries import shapes
from maps.queries.database import Row, rows

#: Real loot tables end far below; a made-up one must not become an answer without end.
MAX_ITEMS = 1000


def loot_table(alias: str, sources: list[int], difficulty: str | None = None, *, killed: bool = False) -> Row:
    """Return `{"lootings", "loot": [{"item", "name", "drops", "rate", …}], "empty", "money", "difficulties"}`.

    The most frequent items come first, `MAX_ITEMS` at most. Difficulties are summed unless one is asked
    for ('' for lootings without one); `difficulties` names those that occur. What `killed` creatures
    give is also told `corrected` for empty lootings, with their estimated share `empty`; the slots of other
    sources exclude each other, so that there nothing follows from them (None).
    """
    found = rows(alias, "loot_table", sources=sources, difficulty=difficulty, rows=MAX_ITEMS)
    totals = found[0]
    drops = [drop for drop in found if drop["item"] is not None]
    hits = [drop["drops"] for drop in drops]
    correction = rates.corrected([*hits, totals["money_lootings"]], totals["lootings"]) if killed else None
    estimates = correction.rates if correction else [None] * (len(drops) + 1)
    return {
        "lootings": totals["lootings"],
        "loot": [
            shapes.loot_entry(drop, totals["lootings"], estimate)
            for drop, estimate in zip(drops, estimates, strict=False)
        ],
        "empty": correction.empty if correction else None,
        "money": shapes.money(totals["money_lootings"], totals["copper"]),
        "difficulties": totals["difficulties"],
    }
