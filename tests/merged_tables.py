"""Read a locale's permanent tables into plain dictionaries, in the shape of `independent.merged`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from django.db import connections

from tests.independent import OTHER_KINDS

_WORDS = ["skinning", "pickpocketing", "herb", "ore", "engineering", "chest", "item", "disenchanting"]
_WORDS += ["prospecting", "milling", "fishing"]
KINDS = dict(zip(_WORDS, OTHER_KINDS, strict=True)) | {"kill": ""}


def read(alias: str) -> dict[str, Any]:
    """Return sightings, uploaders, lootings, drops, money and unplaced as they are shown."""
    with connections[alias].cursor() as cursor:

        def rows(sql: str) -> list[Any]:
            cursor.execute(sql)
            found: list[Any] = cursor.fetchall()
            return found

        zones = dict(rows("SELECT id, name FROM zone"))
        creatures = rows("SELECT id, name, shown_as FROM named_creature")
        named = {raw: str(shown) if shown else name for raw, name, shown in creatures}
        sightings: dict[Any, int] = defaultdict(int)
        uploaders: dict[Any, set[int]] = defaultdict(set)
        unplaced: dict[Any, int] = defaultdict(int)
        for subject, zone, floor, xy, seen, by, missing, positions, total in rows(
            "SELECT subject, zone, floor, xy, sightings, seen_by, unplaced, position_count, sighting_count"
            " FROM habitat WHERE subject > 0"
        ):
            assert positions == len(xy) and total == sum(seen), "the packed row's own sums are off"
            creature = named.get(subject, str(subject))
            for packed, number in zip(xy, seen, strict=True):
                sightings[(creature, zones[zone], floor, _text(packed))] += number
            for pair in np.frombuffer(by, ">i8").tolist():
                uploaders[(creature, zones[zone], floor, _text(pair >> 32))].add(pair & 0xFFFFFFFF)
            if missing:
                unplaced[(creature, zones[zone], floor)] += missing
        sources = {}
        for source, kind, creature_id, thing, item, zone in rows(
            "SELECT id, kind, creature, object, item, zone FROM source"
        ):
            if creature_id:
                target = "n" + named.get(creature_id, str(creature_id))
            elif thing:
                target = "o" + thing
            elif item:
                target = f"i{item}"
            else:
                target = zones[zone]
            sources[source] = (KINDS[kind], target)
        lootings: dict[Any, int] = defaultdict(int)
        money: dict[Any, int] = defaultdict(int)
        drops: dict[Any, int] = defaultdict(int)
        for source, zone, floor, difficulty, number, _with_money, copper in rows("SELECT * FROM loot"):
            lootings[(*sources[source], zones[zone], floor, difficulty)] += number
            if _with_money:
                money[(*sources[source], zones[zone], floor, difficulty)] += copper
        for source, zone, floor, difficulty, item, number in rows(
            "SELECT source, zone, floor, difficulty, item, drops FROM item_drop"
        ):
            drops[(*sources[source], zones[zone], floor, difficulty, item)] += number
    return {
        "sightings": dict(sightings),
        "uploaders": {coordinate: len(ids) for coordinate, ids in uploaders.items()},
        "unplaced": dict(unplaced),
        "lootings": dict(lootings),
        "drops": dict(drops),
        "money": dict(money),
    }


def _text(packed: int) -> str:
    x, y = packed >> 10, packed & 1023
    return f"{x // 10}{f'.{x % 10}' if x % 10 else ''}/{y // 10}{f'.{y % 10}' if y % 10 else ''}"
