"""Names become numbers: zones, named creatures, sources and uploaders get ids in a locale's dictionaries.

The dictionaries only grow, and are committed before anything refers to them, in the order of their
keys: workers that intern the same names at once wait for each other but never in a circle.
A name whose upload is lost afterwards stays behind and does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl
from django.db import connections

from ingest.parse import Observations
from ingest.sql import load

#: Dictionaries of names: table, and its column of names.
_ZONE, _CREATURE, _UPLOADER = ("zone", "name"), ("named_creature", "name"), ("uploader", "sender")


@dataclass(frozen=True)
class Interned:
    """A batch's observations with ids of the locale's dictionaries.

    creatures: no, creature (raw id), name, level_min, level_max, boss, reaction, first_day.
    positions: no, subject (raw creature id, or minus a source's id), zone, floor, xy, first_day.
    loot:      no, source, zone, floor, difficulty, lootings, money_lootings, copper.
    drops:     no, source, zone, floor, difficulty, item, drops.
    uploaders: sender → uploader id.
    """

    creatures: pl.DataFrame
    positions: pl.DataFrame
    loot: pl.DataFrame
    drops: pl.DataFrame
    uploaders: dict[str, int]


def intern(alias: str, observations: Observations, senders: list[str]) -> Interned:
    """Give every name of a batch its id, making those that are missing."""
    o = observations
    zone_names = pl.concat([o.positions["zone"], o.gathered["zone"], o.loot["zone"], o.sources["source_zone"]]).unique()
    named = pl.concat([o.creatures.filter(pl.col("creature") == 0)["name"], o.sources["name"]]).unique()
    zones = _frame("zone", _names(alias, _ZONE, zone_names), pl.Int32)
    creatures = _frame("creature", _names(alias, _CREATURE, named), pl.Int64)
    sources = _sources(alias, o.sources, zones, creatures)
    return Interned(
        creatures=_with_raw_id(o.creatures, creatures),
        positions=pl.concat(
            [
                _place(_with_raw_id(o.positions, creatures).rename({"creature": "subject"}), zones),
                _place(o.gathered.join(sources.with_columns(subject=-pl.col("id")), on="source"), zones),
            ]
        ),
        loot=_at_source(o.loot, sources, zones),
        drops=_at_source(o.drops, sources, zones),
        uploaders=_names(alias, _UPLOADER, pl.Series(sorted(set(senders)))),
    )


def _names(alias: str, dictionary: tuple[str, str], names: pl.Series) -> dict[str, int]:
    """Return the ids of names in a dictionary; `''` is no name."""
    wanted = sorted(name for name in names.to_list() if name)
    with connections[alias].cursor() as cursor:
        found = _find(cursor, dictionary, wanted)
        missing = [name for name in wanted if name not in found]
        if missing:
            cursor.execute(load("intern_names.sql", *dictionary), {"names": missing})
            found |= _find(cursor, dictionary, missing)
    return found


def _find(cursor: Any, dictionary: tuple[str, str], names: list[str]) -> dict[str, int]:
    cursor.execute(load("find_names.sql", *dictionary), {"names": names})
    return dict(cursor.fetchall())


def _frame(column: str, ids: dict[str, int], id_type: type[pl.DataType]) -> pl.DataFrame:
    """Return a dictionary as a frame `text`, `column`."""
    return pl.DataFrame({"text": list(ids), column: list(ids.values())}, schema={"text": pl.String, column: id_type()})


def _with_raw_id(frame: pl.DataFrame, creatures: pl.DataFrame) -> pl.DataFrame:
    """Put the raw id of named creatures where the game's id is not known."""
    found = frame.join(creatures.rename({"creature": "named"}), left_on="name", right_on="text", how="left")
    own = pl.when(pl.col("creature") == 0).then("named").otherwise("creature").alias("creature")
    return found.with_columns(own).drop("named")


def _place(frame: pl.DataFrame, zones: pl.DataFrame) -> pl.DataFrame:
    return (
        frame.rename({"zone": "text"})
        .join(zones, on="text")
        .select("no", pl.col("subject").cast(pl.Int64), "zone", "floor", "xy", "first_day")
    )


def _at_source(frame: pl.DataFrame, sources: pl.DataFrame, zones: pl.DataFrame) -> pl.DataFrame:
    """Replace a batch's own source numbers and zone names by ids; the columns keep their order."""
    columns = frame.columns
    return (
        frame.rename({"zone": "text"})
        .join(zones, on="text")
        .join(sources, on="source")
        .with_columns(source=pl.col("id"))
        .select(columns)
    )


def _sources(alias: str, sources: pl.DataFrame, zones: pl.DataFrame, creatures: pl.DataFrame) -> pl.DataFrame:
    """Return source (the batch's number) and id."""
    keyed = _with_raw_id(sources, creatures).join(zones, left_on="source_zone", right_on="text", how="left")
    keyed = keyed.select("source", "kind", "creature", "object", "item", "zone")
    wanted = {name: keyed[name].to_list() for name in keyed.columns}
    # Absent parts of a key are null in the table.
    wanted |= {name: [value or None for value in wanted[name]] for name in ("creature", "object", "item", "zone")}
    with connections[alias].cursor() as cursor:
        cursor.execute(load("find_sources.sql"), wanted)
        rows = cursor.fetchall()
        if len(rows) < len(keyed):
            cursor.execute(load("intern_sources.sql"), wanted)
            cursor.execute(load("find_sources.sql"), wanted)
            rows = cursor.fetchall()
    return pl.DataFrame(rows, schema={"source": pl.UInt32, "id": pl.Int32}, orient="row")
