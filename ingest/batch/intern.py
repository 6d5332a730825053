"""Intern names: zones, named creatures, sources and uploaders get ids from a locale's dictionaries.

The dictionaries only grow, and are committed before anything refers to them. Names are inserted in key order: workers
that intern the same names at once wait for each other, never in a circle. A name whose upload is lost afterwards stays
and does no harm.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl
from django.db import connections

from ingest.batch.observations import Interned, Observations
from ingest.batch.sql import load

#: Dictionaries: table and its column of names.
_ZONE, _CREATURE, _UPLOADER = ("zone", "name"), ("named_creature", "name"), ("uploader", "sender")


def intern(alias: str, observations: Observations, senders: list[str]) -> Interned:
    """Return a batch with the id of every name; missing names are inserted."""
    o = observations
    named = pl.concat([o.creatures.filter(pl.col("creature") == 0)["name"], o.sources["name"]]).unique()
    zone_ids = _names(alias, _ZONE, o.zones)
    zones = pl.Series([zone_ids[name] for name in o.zones], dtype=pl.Int32)
    creatures = _frame("creature", _names(alias, _CREATURE, named), pl.Int64)
    sources = _sources(alias, o.sources, zones, creatures)
    habitats = _with_raw_id(o.habitats, creatures)
    of_source = -sources.gather(habitats["source"].replace(-1, None)).cast(pl.Int64)
    subject = pl.when(pl.col("source") < 0).then("creature").otherwise(of_source).alias("subject")
    return Interned(
        creatures=_with_raw_id(o.creatures, creatures),
        habitats=habitats.select(subject, zones.gather(habitats["zone"]).alias("zone"), "floor"),
        positions=o.positions,
        loot=_at_source(o.loot, sources, zones),
        drops=_at_source(o.drops, sources, zones),
        uploaders=_names(alias, _UPLOADER, set(senders)),
    )


def _names(alias: str, dictionary: tuple[str, str], names: Iterable[str]) -> dict[str, int]:
    """Return the ids of names in a dictionary; insert missing names. `''` is no name."""
    wanted = sorted(name for name in names if name)
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
    """Fill in the raw id of named creatures where the game's id is unknown (0). Rows keep their order."""
    named = creatures.rename({"creature": "named"})
    found = frame.join(named, left_on="name", right_on="text", how="left", maintain_order="left")
    own = pl.when(pl.col("creature") == 0).then("named").otherwise("creature").alias("creature")
    return found.with_columns(own).drop("named")


def _at_source(frame: pl.DataFrame, sources: pl.Series, zones: pl.Series) -> pl.DataFrame:
    """Replace a batch's own numbers of sources and zones by ids. Columns keep their order."""
    return frame.with_columns(source=sources.gather(frame["source"]), zone=zones.gather(frame["zone"]))


def _sources(alias: str, sources: pl.DataFrame, zones: pl.Series, creatures: pl.DataFrame) -> pl.Series:
    """Return the ids of a batch's sources, in their order."""
    keyed = _with_raw_id(sources, creatures).with_columns(zone=zones.gather(sources["zone"].replace(-1, None)))
    wanted = {name: keyed[name].to_list() for name in ("source", "kind", "creature", "object", "item", "zone")}
    # Absent parts of a key are null in the table.
    wanted |= {name: [value or None for value in wanted[name]] for name in ("creature", "object", "item", "zone")}
    with connections[alias].cursor() as cursor:
        cursor.execute(load("find_sources.sql"), wanted)
        rows = cursor.fetchall()
        if len(rows) < len(keyed):
            cursor.execute(load("intern_sources.sql"), wanted)
            cursor.execute(load("find_sources.sql"), wanted)
            rows = cursor.fetchall()
    ids = dict(rows)
    return pl.Series([ids[number] for number in wanted["source"]], dtype=pl.Int32)
