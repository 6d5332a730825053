"""From documents to columns: a batch of uploads becomes frames of typed, grouped observations.

The documents have passed the door's validation, so nothing is checked here beyond what the columns
need; what can't be read all the same raises `Unreadable` and names the upload.
Elements are collected one by one (in C or by lxml), everything behind that is done for whole columns (numpy, polars).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from typing import BinaryIO, NamedTuple, TypeVar

import numpy as np
import polars as pl
import zstandard
from lxml import etree

from ingest.batch import texts
from ingest.batch.loot_columns import DIFFICULTIES, UNKNOWN, Looted
from ingest.batch.texts import Ints
from ingest.batch.xml_columns import Elements
from ingest.formats.mobmapdata import grammar

T = TypeVar("T")

EPOCH = date(1970, 1, 1)

#: Reactions in the order of `Creature.reactions`: hostile, neutral, friendly; Alliance, then Horde.
_REACTIONS = [0, 1, 2, 10, 11, 12]
#: 63 bits of key: place, coordinate (packed, plus one) and rank of a row; upload, place and source. Each of the
#: elements that may make a new one takes 25 bytes and more, so that a batch (`LARGEST_BATCH_BYTES`) has less than 2²¹
#: of them.
_XY_BITS, _RANK_BITS = 20, 21
_PLACE_BITS, _SOURCE_BITS = 21, 22


class Document(NamedTuple):
    """One upload to be read: `no` is its place in the batch, `received_day` counts from 1970-01-01."""

    no: int
    version: int
    received_day: int
    open: Callable[[], AbstractContextManager[BinaryIO]]


class Unreadable(Exception):
    """A document could not be read; carries its `no`."""

    def __init__(self, no: int, reason: str) -> None:
        super().__init__(reason)
        self.no = no


@dataclass(frozen=True)
class Observations:
    """The frames of a batch, with numbers that hold within it; `ingest.batch.intern` turns them into ids.

    A creature is `creature` (its game id, 0 if unknown) and `name` ('' in places where the id is
    known). `no` is the upload's, `zone` an index into `zones`, `xy` is packed as in `grammar.pack` (-1
    without a position), days count from 1970-01-01.

    zones:     names.
    creatures: no, creature, name, level_min, level_max (null for "??"), boss, reaction (0…5 or null),
               first_day; one row per Mob element.
    places:    place (a number within the batch), creature, name, source, zone, floor; where creatures and
               gathering sources stood. `source` is -1 for creatures; a source has creature 0 and no name.
    positions: place, xy, no, first_day; one row per place, coordinate and upload, in this order.
    sources:   source (a number within the batch), kind, creature, name, object, item, zone (-1: none).
    loot:      no, source, zone, floor, difficulty, lootings, money_lootings, copper.
    drops:     no, source, zone, floor, difficulty, item, drops.
    """

    zones: list[str]
    creatures: pl.DataFrame
    places: pl.DataFrame
    positions: pl.DataFrame
    sources: pl.DataFrame
    loot: pl.DataFrame
    drops: pl.DataFrame


def parse(documents: Iterable[Document]) -> Observations:
    """Read documents and return their observations, grouped per upload; raises `Unreadable`."""
    elements = Elements()
    read: list[tuple[int, int]] = []
    for document in documents:
        try:
            with document.open() as stream:
                elements.collect(stream, document.no, document.version)
        except (etree.XMLSyntaxError, zstandard.ZstdError, KeyError, ValueError, OverflowError) as error:
            raise Unreadable(document.no, f"{type(error).__name__}: {error}") from error
        read.append((document.no, document.received_day))
    elements.forget_names()
    batch = pl.DataFrame(read, schema={"no": pl.Int32, "received_day": pl.Int32}, orient="row")
    mobs = _mobs(elements, batch)
    looted = elements.loots.finish()
    del elements.loots  # a document full of names fills its dictionaries
    sources = _sources(looted)
    loot, drops = _lootings(looted)
    gathered = _gathered(looted, batch)
    del looted
    places, positions = _positions(*_met(elements, mobs), gathered)
    return Observations(list(elements.zones), mobs, places, positions, sources, loot, drops)


# --- creatures and where they stood -----------------------------------------------------------------
def _unescape(column: pl.Series) -> pl.Series:
    """Resolve the addon's escapes; names repeat a lot, so each is looked at once."""
    escaped = column.unique().drop_nulls()
    escaped = escaped.filter(escaped.str.contains(r"[|$]"))
    if escaped.is_empty():
        return column
    return column.replace(escaped, pl.Series([grammar.unescape(name) for name in escaped], dtype=pl.String))


def _mobs(elements: Elements, batch: pl.DataFrame) -> pl.DataFrame:
    no, creature, low, high, react, day = np.array(elements.mobs, dtype=np.int64).reshape(-1, 6).T
    days, day_of = np.unique(day, return_inverse=True)
    seen = pl.Series(
        [None if day < 0 else (grammar.decode_day(day) - EPOCH).days for day in days.tolist()], dtype=pl.Int32
    )
    raw = pl.DataFrame(
        {
            "no": no.astype(np.int32),
            "creature": creature,
            "name": _unescape(pl.Series(elements.mob_names, dtype=pl.String)),
            "min": pl.Series(low).cast(pl.Int16, strict=False),
            "max": pl.Series(high).cast(pl.Int16, strict=False),
            "react": react,
            "seen": seen.gather(day_of),
        }
    ).join(batch, on="no", maintain_order="left")
    levels = [pl.when(pl.col(end) != -1).then(pl.col(end)) for end in ("min", "max")]
    return raw.select(
        "no",
        "creature",
        "name",
        # A creature may be written with min above max: the range is the lowest and highest of all.
        pl.min_horizontal(levels).alias("level_min"),
        pl.max_horizontal(levels).alias("level_max"),
        ((pl.col("min") == -1) | (pl.col("max") == -1)).alias("boss"),
        pl.col("react").replace_strict(_REACTIONS, range(6), default=None, return_dtype=pl.Int8).alias("reaction"),
        # Days in the future and missing ones are taken as the day the upload came.
        pl.min_horizontal("seen", "received_day").alias("first_day"),
    )


_PLACE = ["creature", "name", "source", "zone", "floor"]
_STOOD = [*_PLACE, "no", "first_day"]


def _met(elements: Elements, mobs: pl.DataFrame) -> tuple[pl.DataFrame, Ints, Ints]:
    """Return where creatures were met, columns as in `_STOOD`, and the coordinates: their rows there, and packed.

    A row is a `Zone` element with coordinates.
    """
    mob, zone, floor, count = np.array(elements.met, dtype=np.int64).reshape(-1, 4).T
    stood = pl.DataFrame({"row": mob.astype(np.uint32), "zone": zone.astype(np.int32), "floor": floor.astype(np.int32)})
    # A creature with an id is the same whatever it is called: its name is no part of the key.
    name = pl.when(pl.col("creature") == 0).then("name").otherwise(pl.lit("")).alias("name")
    of_mobs = mobs.select("no", "creature", name, "first_day").with_row_index("row")
    met = stood.join(of_mobs, on="row", maintain_order="left").with_columns(source=pl.lit(-1, dtype=pl.Int64))
    as_text = np.flatnonzero(count < 0)
    text, xy = _read(lambda: texts.coordinates(elements.met_texts), met["no"].to_numpy()[as_text])
    row = np.concatenate([np.repeat(np.arange(len(count)), np.maximum(count, 0)), as_text[text]])
    return met.select(_STOOD), row, np.concatenate([np.array(elements.xy, dtype=np.int64), xy])


def _gathered(looted: Looted, batch: pl.DataFrame) -> pl.DataFrame:
    """Return where sources other than kills stood: columns as in `_STOOD` and `xy`, one row per `Loot` element."""
    # The places of kills are known from elsewhere, and kills are most of all. The last one is the unknown source.
    stands = np.array([source.kind != "kill" for source in looted.sources] + [False])
    at = np.flatnonzero(stands[looted.source])
    zone, floor, _ = looted.places[looted.place[at]].T
    stood = pl.DataFrame(
        {
            "source": looted.source[at],
            "zone": zone.astype(np.int32),
            "floor": floor.astype(np.int32),
            "no": looted.no[at].astype(np.int32),
            "xy": looted.xy[at],
        }
    )
    return (
        stood.join(batch.rename({"received_day": "first_day"}), on="no", maintain_order="left")
        .with_columns(creature=pl.lit(0, dtype=pl.Int64), name=pl.lit(""))
        .select(*_STOOD, "xy")
    )


def _read(texts_read: Callable[[], T], no: Sequence[int] | Ints) -> T:
    """Return what reading texts gives; `no` says whose each text is, if one can't be read."""
    try:
        return texts_read()
    except texts.Broken as fault:
        raise Unreadable(int(no[fault.index]), str(fault)) from fault


def _positions(met: pl.DataFrame, row: Ints, xy: Ints, gathered: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames `places` and `positions`; `row` and `xy` are the coordinates as `_met` returns them."""
    stood = pl.concat([met, gathered.select(_STOOD)])
    zone, floor, no, first_day = (stood[name].to_numpy() for name in ("zone", "floor", "no", "first_day"))
    subject = _subjects(met, gathered)
    # Rows are ranked by place, upload and day: a rank in a coordinate's key stands for all of them.
    ranked = np.lexsort((first_day, no, floor, zone, subject))
    first = np.logical_or.reduce([texts.first_of_each(part[ranked]) for part in (subject, zone, floor)])
    places = stood[ranked[first]].select(_PLACE).with_row_index("place")
    rank = np.empty(len(stood), dtype=np.int64)
    rank[ranked] = (np.cumsum(first) - 1) << (_XY_BITS + _RANK_BITS) | np.arange(len(stood))
    row = np.concatenate([row, np.arange(len(met), len(stood))])
    key = rank[row] | (np.concatenate([xy, gathered["xy"].to_numpy()]) + 1) << _RANK_BITS
    key.sort()
    row = ranked[key & ((1 << _RANK_BITS) - 1)]
    # The first row of an upload at a coordinate has its earliest day.
    first = texts.first_of_each(key >> _RANK_BITS) | texts.first_of_each(no[row])
    key, row = key[first], row[first]
    positions = pl.DataFrame(
        {
            "place": (key >> (_XY_BITS + _RANK_BITS)).astype(np.uint32),
            "xy": ((key >> _RANK_BITS & ((1 << _XY_BITS) - 1)) - 1).astype(np.int32),
            "no": no[row],
            "first_day": first_day[row],
        }
    )
    return places, positions


def _subjects(met: pl.DataFrame, gathered: pl.DataFrame) -> Ints:
    """Return a number for what stood in each row: one creature, whatever it is called if its id is known, or source."""
    key = ["creature", "name"]
    creatures = met.select(key).unique(maintain_order=True).with_row_index("subject")
    of_met = met.join(creatures, on=key, maintain_order="left")["subject"].to_numpy().astype(np.int64)
    return np.concatenate([of_met, gathered["source"].to_numpy() + len(creatures)])


# --- loot -------------------------------------------------------------------------------------------
#: The types of `grammar.Source`'s parts.
_SOURCE = {"kind": pl.String, "creature": pl.Int64, "name": pl.String, "object": pl.String, "item": pl.Int32}


def _sources(looted: Looted) -> pl.DataFrame:
    """Return the frame `sources`, made column by column: rows would take a kilobyte for each."""
    columns = {
        name: pl.Series([source[at] for source in looted.sources], dtype=dtype)
        for at, (name, dtype) in enumerate(_SOURCE.items())
    }
    numbers = pl.Series(range(len(looted.sources)), dtype=pl.Int64)
    return pl.DataFrame({"source": numbers} | columns | {"zone": looted.waters.astype(np.int32)})


def _lootings(looted: Looted) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames `loot` and `drops`."""
    # An unknown source has a group, too, as its texts are read like all others; it is left out behind that.
    keys, group = np.unique(
        (looted.no << _PLACE_BITS | looted.place) << _SOURCE_BITS | (looted.source + 1), return_inverse=True
    )
    found = _read(lambda: texts.lootings(looted.texts, group, len(keys)), looted.no)
    source = (keys & ((1 << _SOURCE_BITS) - 1)) - 1
    zone, floor, difficulty = looted.places[keys >> _SOURCE_BITS & ((1 << _PLACE_BITS) - 1)].T
    groups = pl.DataFrame(
        {
            "no": (keys >> (_PLACE_BITS + _SOURCE_BITS)).astype(np.int32),
            "source": source,
            "zone": zone.astype(np.int32),
            "floor": floor.astype(np.int32),
            "difficulty": pl.Series(DIFFICULTIES).gather(difficulty),
        }
    )
    known = source != UNKNOWN
    loot = groups.with_columns(lootings=found.lootings, money_lootings=found.money_lootings, copper=found.copper)
    dropped = known[found.drop_group]
    drops = groups[found.drop_group[dropped]].with_columns(item=found.drop_item[dropped], drops=found.drops[dropped])
    return loot.filter(known), drops
