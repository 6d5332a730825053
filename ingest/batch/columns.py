"""From documents to columns: a batch of uploads becomes frames of typed observations, grouped per upload.

The upload endpoint has validated the documents, so nothing is checked here beyond what the columns need; a document
that can't be read all the same raises `Unreadable`, which names the upload.
Elements are collected one by one (in C or by lxml); everything after that works on whole columns (numpy, polars).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

import numpy as np
import polars as pl
import zstandard
from lxml import etree
from numpy.typing import NDArray

from ingest.batch.loot_columns import DIFFICULTIES, UNKNOWN, Ints, LootColumns
from ingest.batch.observations import Document, Observations, Unreadable
from ingest.batch.xml_columns import XmlColumns
from ingest.formats.mobmapdata import grammar

EPOCH = date(1970, 1, 1)

#: Sort keys of 63 bits: habitat, coordinate (packed, plus one) and rank of a row; upload, location and source; loot
#: group and item. Each element that may add a habitat or location takes 25 bytes or more, so a batch
#: (`LARGEST_BATCH_BYTES`) has less than 2²¹ of them.
_XY_BITS, _RANK_BITS = 20, 21
_LOCATION_BITS, _SOURCE_BITS = 21, 22
_ITEM_BITS = 31


def parse(documents: Iterable[Document]) -> Observations:
    """Read documents and return their observations, grouped per upload; raises `Unreadable`."""
    elements = XmlColumns()
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
    loots = elements.loots.finish()
    del elements.loots  # its numbers of names are large for a document full of names
    sources = _sources(loots)
    loot, drops = _lootings(loots)
    gathered = _gathered(loots, batch)
    del loots
    habitats, positions = _positions(*_creature_sightings(elements, mobs), gathered)
    return Observations(list(elements.zones), mobs, habitats, positions, sources, loot, drops)


# --- creatures, and where creatures and sources were seen -------------------------------------------
def _unescape(column: pl.Series) -> pl.Series:
    """Resolve the addon's escapes, once for each distinct name."""
    escaped = column.unique().drop_nulls()
    escaped = escaped.filter(escaped.str.contains(r"[|$]"))
    if escaped.is_empty():
        return column
    return column.replace(escaped, pl.Series([grammar.unescape(name) for name in escaped], dtype=pl.String))


def _mobs(elements: XmlColumns, batch: pl.DataFrame) -> pl.DataFrame:
    """Return the frame `creatures`."""
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
        # A document may say min above max: the range is from the lowest to the highest of both.
        pl.min_horizontal(levels).alias("level_min"),
        pl.max_horizontal(levels).alias("level_max"),
        ((pl.col("min") == -1) | (pl.col("max") == -1)).alias("boss"),
        pl.col("react")
        .replace_strict(grammar.REACTIONS, range(6), default=None, return_dtype=pl.Int8)
        .alias("reaction"),
        # A day in the future or a missing one becomes the day when the upload was received.
        pl.min_horizontal("seen", "received_day").alias("first_day"),
    )


_HABITAT = ["creature", "name", "source", "zone", "floor"]
_SEEN = [*_HABITAT, "no", "first_day"]


def _creature_sightings(elements: XmlColumns, mobs: pl.DataFrame) -> tuple[pl.DataFrame, Ints, Ints]:
    """Return a frame with columns `_SEEN` and a row per `Zone` with coordinates; per coordinate its row, and packed."""
    mob, zone, floor, count = np.array(elements.mob_zones, dtype=np.int64).reshape(-1, 4).T
    seen = pl.DataFrame({"row": mob.astype(np.uint32), "zone": zone.astype(np.int32), "floor": floor.astype(np.int32)})
    # A creature with an id is the same under every name, so its name is no part of the key.
    name = pl.when(pl.col("creature") == 0).then("name").otherwise(pl.lit("")).alias("name")
    of_mobs = mobs.select("no", "creature", name, "first_day").with_row_index("row")
    seen = seen.join(of_mobs, on="row", maintain_order="left").with_columns(source=pl.lit(-1, dtype=pl.Int64))
    return seen.select(_SEEN), np.repeat(np.arange(len(count)), count), np.array(elements.xy, dtype=np.int64)


def _gathered(loots: LootColumns, batch: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with columns `_SEEN` and `xy`: a row per `Loot` element of a source other than a kill."""
    # Where creatures are is known from their own elements, and kills are most of all loot. -1 is the unknown source.
    is_gathering = np.array([source.kind != "kill" for source in loots.sources] + [False])
    at = np.flatnonzero(is_gathering[loots.source])
    zone, floor, _ = loots.locations[loots.location[at]].T
    seen = pl.DataFrame(
        {
            "source": loots.source[at],
            "zone": zone.astype(np.int32),
            "floor": floor.astype(np.int32),
            "no": loots.no[at].astype(np.int32),
            "xy": loots.xy[at],
        }
    )
    return (
        seen.join(batch.rename({"received_day": "first_day"}), on="no", maintain_order="left")
        .with_columns(creature=pl.lit(0, dtype=pl.Int64), name=pl.lit(""))
        .select(*_SEEN, "xy")
    )


def _positions(met: pl.DataFrame, row: Ints, xy: Ints, gathered: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames `habitats` and `positions` from what `_creature_sightings` and `_gathered` return."""
    seen = pl.concat([met, gathered.select(_SEEN)])
    zone, floor, no, first_day = (seen[name].to_numpy() for name in ("zone", "floor", "no", "first_day"))
    subject = _subjects(met, gathered)
    # Rows are ranked by habitat, upload and day, so that the rank in a coordinate's key replaces all of them.
    ranked = np.lexsort((first_day, no, floor, zone, subject))
    first = np.logical_or.reduce([_first_of_each(part[ranked]) for part in (subject, zone, floor)])
    habitats = seen[ranked[first]].select(_HABITAT).with_row_index("habitat")
    rank = np.empty(len(seen), dtype=np.int64)
    rank[ranked] = (np.cumsum(first) - 1) << (_XY_BITS + _RANK_BITS) | np.arange(len(seen))
    row = np.concatenate([row, np.arange(len(met), len(seen))])
    key = rank[row] | (np.concatenate([xy, gathered["xy"].to_numpy()]) + 1) << _RANK_BITS
    key.sort()
    row = ranked[key & ((1 << _RANK_BITS) - 1)]
    # The first row of an upload at a coordinate has its earliest day.
    first = _first_of_each(key >> _RANK_BITS) | _first_of_each(no[row])
    key, row = key[first], row[first]
    positions = pl.DataFrame(
        {
            "habitat": (key >> (_XY_BITS + _RANK_BITS)).astype(np.uint32),
            "xy": ((key >> _RANK_BITS & ((1 << _XY_BITS) - 1)) - 1).astype(np.int32),
            "no": no[row],
            "first_day": first_day[row],
        }
    )
    return habitats, positions


def _subjects(met: pl.DataFrame, gathered: pl.DataFrame) -> Ints:
    """Return the subject of each row as a number: a creature (with its id known, under every name), or a source."""
    key = ["creature", "name"]
    creatures = met.select(key).unique(maintain_order=True).with_row_index("subject")
    of_met = met.join(creatures, on=key, maintain_order="left")["subject"].to_numpy().astype(np.int64)
    return np.concatenate([of_met, gathered["source"].to_numpy() + len(creatures)])


def _first_of_each(rising: Ints) -> NDArray[np.bool_]:
    """Return which entries differ from the one before."""
    first = np.ones(len(rising), dtype=bool)
    np.not_equal(rising[1:], rising[:-1], out=first[1:])
    return first


# --- loot -------------------------------------------------------------------------------------------
#: The types of `grammar.Source`'s parts.
_SOURCE = {"kind": pl.String, "creature": pl.Int64, "name": pl.String, "object": pl.String, "item": pl.Int32}


def _sources(loots: LootColumns) -> pl.DataFrame:
    """Return the frame `sources`, made column by column: rows would take a kilobyte each."""
    columns = {
        name: pl.Series([source[part] for source in loots.sources], dtype=dtype)
        for part, (name, dtype) in enumerate(_SOURCE.items())
    }
    numbers = pl.Series(range(len(loots.sources)), dtype=pl.Int64)
    return pl.DataFrame({"source": numbers} | columns | {"zone": loots.fishing_zones.astype(np.int32)})


def _lootings(loots: LootColumns) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames `loot` and `drops`: sums by upload, location and source, without unknown sources."""
    keys, group_of = np.unique(
        (loots.no << _LOCATION_BITS | loots.location) << _SOURCE_BITS | (loots.source + 1), return_inverse=True
    )
    source = (keys & ((1 << _SOURCE_BITS) - 1)) - 1
    zone, floor, difficulty = loots.locations[keys >> _SOURCE_BITS & ((1 << _LOCATION_BITS) - 1)].T
    groups = pl.DataFrame(
        {
            "no": (keys >> (_LOCATION_BITS + _SOURCE_BITS)).astype(np.int32),
            "source": source,
            "zone": zone.astype(np.int32),
            "floor": floor.astype(np.int32),
            "difficulty": pl.Series(DIFFICULTIES).gather(difficulty),
        }
    )
    loot = groups.with_columns(
        lootings=_sums(loots.lootings, group_of, len(keys)),
        money_lootings=_sums(loots.money_lootings, group_of, len(keys)),
        copper=_sums(loots.copper, group_of, len(keys)),
    )
    drop_keys = np.repeat(group_of, loots.drops) << _ITEM_BITS | loots.items
    drop_keys.sort()
    first = np.flatnonzero(_first_of_each(drop_keys))
    drop_keys, counts = drop_keys[first], np.diff(first, append=len(drop_keys))
    group = drop_keys >> _ITEM_BITS
    is_known = source != UNKNOWN
    dropped = is_known[group]
    item = drop_keys[dropped] & ((1 << _ITEM_BITS) - 1)
    return loot.filter(is_known), groups[group[dropped]].with_columns(item=item, drops=counts[dropped])


def _sums(numbers: Ints, group_of: Ints, groups: int) -> Ints:
    """Return the exact sum of each group's numbers."""
    sums = np.zeros(groups, dtype=np.int64)
    np.add.at(sums, group_of, numbers)
    return sums
