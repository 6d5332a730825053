"""Loot tables: what sources that are counted as one gave, how often."""

from __future__ import annotations

from maps.queries import shapes
from maps.queries.database import Row, rows

#: Real loot tables end far below; a made-up one must not become an answer without end.
MAX_ITEMS = 1000


def loot_table(alias: str, sources: list[int], difficulty: str | None = None) -> Row:
    """Return `{"lootings", "loot": [{"item", "name", "drops", "rate", "low", "high"}], "money", "difficulties"}`.

    The most frequent items come first, `MAX_ITEMS` at most. Difficulties are summed unless one is asked
    for ('' for lootings without one); `difficulties` names those that occur.
    """
    found = rows(alias, "loot_table", sources=sources, difficulty=difficulty, rows=MAX_ITEMS)
    totals = found[0]
    return {
        "lootings": totals["lootings"],
        "loot": [shapes.loot_entry(drop, totals["lootings"]) for drop in found if drop["item"] is not None],
        "money": shapes.money(totals["money_lootings"], totals["copper"]),
        "difficulties": totals["difficulties"],
    }
