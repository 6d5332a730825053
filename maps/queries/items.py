"""Items and the sources that give them."""

from __future__ import annotations

from maps import paging
from maps.estimate import rates
from maps.queries import shapes
from maps.queries.database import row, rows
from maps.queries.loot import MAX_ITEMS
from maps.queries.shapes import Row


def item(
    alias: str,
    item_id: int,
    limit: int = paging.DEFAULT_LIMIT,
    after: str | None = None,
    difficulty: str | None = None,
) -> Row | None:
    """Return `{"id", "name", "dropped_by", "other_sources", "next"}` of an item, or None if it is unknown.

    Both lists together hold the `limit` best sources after the cursor `after`. The best has the highest lower bound
    of the rate, so that a single lucky looting is not first. `dropped_by` has `{"mob", "name", "drops",
    "lootings", "rate", "low", "high", "corrected"}`; `other_sources` has `source` and `kind` instead of `mob`.
    Raises `paging.BadCursor`.
    """
    begin = paging.decode("item", (int, int, int), after)
    found = row(alias, "item", item=item_id)
    if found is None:
        return None
    given = sorted(rows(alias, "item_sources", item=item_id, difficulty=difficulty), key=_rank)
    if begin is not None:
        drops, lootings, source = begin
        given = [
            each for each in given if _rank(each) > _rank({"drops": drops, "lootings": lootings, "source": source})
        ]
    shown = given[:limit]
    more = len(given) > limit
    last = [shown[-1]["drops"], shown[-1]["lootings"], shown[-1]["source"]] if more else []
    return found | _listed(alias, item_id, shown, difficulty) | {"next": paging.encode("item", last) if more else None}


def _listed(alias: str, item_id: int, shown: list[Row], difficulty: str | None) -> Row:
    """Return the sources of a page as `{"dropped_by", "other_sources"}`, with names and rates."""
    names = rows(alias, "source_names", sources=[each["source"] for each in shown])
    name_of = {each["source"]: each["name"] for each in names}
    corrected = _corrected(alias, item_id, [each["source"] for each in shown if each["kind"] == "kill"], difficulty)
    dropped_by, other_sources = [], []
    for each in shown:
        counts = {
            "name": name_of[each["source"]],
            "drops": each["drops"],
            "lootings": each["lootings"],
            **shapes.rated(each["drops"], each["lootings"], corrected.get(each["source"])),
        }
        if each["kind"] == "kill":
            dropped_by.append({"mob": each["mob"]} | counts)
        else:
            other_sources.append({"source": each["source"], "kind": each["kind"]} | counts)
    return {"dropped_by": dropped_by, "other_sources": other_sources}


def _corrected(alias: str, item_id: int, killed: list[int], difficulty: str | None) -> dict[int, rates.Rate]:
    """Return the item's rates corrected for empty lootings, by source, for those that can be corrected."""
    found = {}
    for table in rows(alias, "source_hits", sources=killed, item=item_id, difficulty=difficulty, rows=MAX_ITEMS):
        hits = [table["drops"], table["money_lootings"], *table["other_drops"]]
        correction = rates.corrected(hits, table["lootings"])
        if correction:
            found[table["source"]] = correction.rates[0]
    return found


def _rank(source: Row) -> tuple[float, int, int]:
    """Return the sort key of a source: the highest lower bound of its rate is first."""
    return -rates.wilson(source["drops"], source["lootings"])[0], -source["drops"], source["source"]
