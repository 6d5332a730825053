"""Loot tables: which items a group of sources gave, and how often."""

from __future__ import annotations

from maps.estimate import rates
from maps.queries import shapes
from maps.queries.database import rows
from maps.queries.shapes import Row

#: Real loot tables are much shorter; an invented one must not make an answer unlimited.
MAX_ITEMS = 1000


def loot_table(alias: str, sources: list[int], difficulty: str | None = None, *, killed: bool = False) -> Row:
    """Return `{"lootings", "loot": [{"item", "name", "drops", "rate", …}], "empty", "money", "difficulties"}`.

    The most frequent items come first, at most `MAX_ITEMS`. Difficulties are summed unless one is given ('' for
    lootings without one); `difficulties` lists those that occur. Rates of `killed` creatures are also `corrected`
    for empty lootings, with their estimated share `empty`. The slots of other sources exclude each other, so both
    are None there.
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
