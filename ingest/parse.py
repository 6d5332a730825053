"""From documents to columns: a batch of uploads becomes frames of typed, grouped observations.

The documents have passed the door's validation, so nothing is checked here beyond what the columns
need; what can't be read all the same raises `Unreadable` and names the upload.
Elements are collected one by one (lxml), everything behind that is done for whole columns (numpy, polars).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import polars as pl
import zstandard
from lxml import etree

from ingest import texts
from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.reading import drop
from ingest.looted import DIFFICULTIES, distinct, take_apart

EPOCH = date(1970, 1, 1)

#: Nobody asks for elements by their ids.
_PARSER = etree.XMLParser(collect_ids=False, no_network=True)
#: Documents below this size are read as trees.
TREE_BYTES = 1 << 20
#: Reactions in the order of `Creature.reactions`: hostile, neutral, friendly; Alliance, then Horde.
_REACTIONS = ["0", "1", "2", "10", "11", "12"]
#: A 64-bit key of place, coordinate (packed, plus one) and upload.
_XY_BITS, _NO_BITS = 21, 18


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
    """The frames of a batch, with numbers that hold within it; `ingest.intern` turns them into ids.

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


@dataclass
class _Columns:
    """Raw columns, a list per attribute, filled element by element."""

    mob_no: list[int] = field(default_factory=list)
    mob_name: list[str] = field(default_factory=list)
    mob_id: list[str | None] = field(default_factory=list)
    mob_min: list[str] = field(default_factory=list)
    mob_max: list[str] = field(default_factory=list)
    mob_react: list[str | None] = field(default_factory=list)
    mob_date: list[str | None] = field(default_factory=list)
    zone_mob: list[int] = field(default_factory=list)
    zone_name: list[str] = field(default_factory=list)
    zone_floor: list[str | None] = field(default_factory=list)
    zone_text: list[str] = field(default_factory=list)
    loot_name: list[str] = field(default_factory=list)
    loot_text: list[str] = field(default_factory=list)
    #: How many `Loot` elements each document has: they stand one document behind the other.
    loots: list[int] = field(default_factory=list)

    def add_mob(self, no: int, element: etree._Element) -> None:
        attributes = _attributes(element)
        self.mob_no.append(no)
        self.mob_name.append(attributes["name"])
        self.mob_id.append(attributes.get("blizzid"))
        self.mob_min.append(attributes["min"])
        self.mob_max.append(attributes["max"])
        self.mob_react.append(attributes.get("react"))
        self.mob_date.append(attributes.get("date"))

    def add_zone(self, mob_row: int, element: etree._Element, text: str) -> None:
        self.zone_mob.append(mob_row)
        attributes = _attributes(element)
        self.zone_name.append(attributes["name"])
        self.zone_floor.append(attributes.get("level"))
        self.zone_text.append(text)

    def add_loots(self, elements: Sequence[etree._Element]) -> None:
        found = [element.text for element in elements]
        if None in found:  # an element without lootings says nothing
            elements = [element for element in elements if element.text]
        # A document has ten of these for each other element: `get` is quicker than a mapping of attributes.
        names = [element.get("name") for element in elements]
        if None in names:
            raise KeyError("name")
        self.loot_name += cast("list[str]", names)
        self.loot_text += [text for text in found if text]


def _attributes(element: etree._Element) -> Mapping[str, str]:
    return cast("Mapping[str, str]", element.attrib)  # lxml's types allow for bytes, which Python 2 had


def parse(documents: Iterable[Document]) -> Observations:
    """Read documents and return their observations, grouped per upload; raises `Unreadable`."""
    columns = _Columns()
    read: list[Document] = []
    for document in documents:
        before = len(columns.loot_name)
        try:
            with document.open() as stream:
                _collect(stream, document, columns)
        except (etree.XMLSyntaxError, zstandard.ZstdError, KeyError) as error:
            raise Unreadable(document.no, f"{type(error).__name__}: {error}") from error
        columns.loots.append(len(columns.loot_name) - before)
        read.append(document)
    batch = pl.DataFrame(
        [document[:3] for document in read],
        schema={"no": pl.Int32, "version": pl.Int32, "received_day": pl.Int32},
        orient="row",
    )
    zones: dict[str, int] = {}
    mobs = _mobs(columns, batch)
    looted, sources = _looted(columns, batch, zones)
    loot, drops = _lootings(looted, columns, batch)
    gathered = _gathered(looted, sources, batch)
    places, positions = _positions(_met(columns, mobs, zones), columns.zone_text, gathered)
    return Observations(list(zones), mobs, places, positions, sources, loot, drops)


# --- elements ---------------------------------------------------------------------------------------
def _collect(stream: BinaryIO, document: Document, columns: _Columns) -> None:
    """Add a document's elements to the columns."""
    head = stream.read(TREE_BYTES)
    if len(head) < TREE_BYTES:
        _collect_tree(etree.fromstring(head, _PARSER), document, columns)
    else:
        _collect_stream(_Joined(head, stream), document, columns)


def _collect_tree(root: etree._Element, document: Document, columns: _Columns) -> None:
    """Read a document at once: twice as fast as a stream, at up to 25 times its size in memory."""
    for mob in root.iterchildren("Mob"):
        row = len(columns.mob_no)
        columns.add_mob(document.no, mob)
        for zone in mob:
            if text := zone.text:
                columns.add_zone(row, zone, text)
    columns.add_loots(list(root.iterchildren("Loot")))


def _collect_stream(stream: _Joined, document: Document, columns: _Columns) -> None:
    """Read a document element by element, in memory that does not grow with it."""
    for _, element in etree.iterparse(stream, events=("end",), no_network=True):
        if element.tag == "Loot":
            columns.add_loots([element])
        elif element.tag == "Mob":
            columns.add_mob(document.no, element)
        elif element.tag == "Zone" and element.text:
            parent = element.getparent()
            if parent is not None and parent.tag == "Mob":
                # The Mob around it ends, and gets its row, after it.
                columns.add_zone(len(columns.mob_no), element, element.text)
        drop(element)


class _Joined:
    """A stream whose beginning has been read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def read(self, size: int) -> bytes:
        if self._head:
            out, self._head = self._head[:size], self._head[size:]
            return out
        return self._rest.read(size)


# --- creatures and where they stood -----------------------------------------------------------------
def _unescape(column: pl.Series) -> pl.Series:
    """Resolve the addon's escapes; names repeat a lot, so each is looked at once."""
    escaped = column.unique().drop_nulls()
    escaped = escaped.filter(escaped.str.contains(r"[|$]"))
    if escaped.is_empty():
        return column
    return column.replace(escaped, pl.Series([grammar.unescape(name) for name in escaped], dtype=pl.String))


def _mobs(columns: _Columns, batch: pl.DataFrame) -> pl.DataFrame:
    raw = pl.DataFrame(
        {
            "no": pl.Series(columns.mob_no, dtype=pl.Int32),
            "creature": pl.Series(columns.mob_id, dtype=pl.String),
            "name": _unescape(pl.Series(columns.mob_name, dtype=pl.String)),
            "min": pl.Series(columns.mob_min, dtype=pl.String),
            "max": pl.Series(columns.mob_max, dtype=pl.String),
            "react": pl.Series(columns.mob_react, dtype=pl.String),
            "date": pl.Series(columns.mob_date, dtype=pl.String),
        }
    ).join(batch, on="no", maintain_order="left")
    levels = [pl.when(pl.col(end) != "-1").then(pl.col(end).cast(pl.Int16, strict=False)) for end in ("min", "max")]
    numbers = raw["date"].unique().drop_nulls()
    seen = pl.col("date").replace_strict(
        numbers,
        pl.Series([(grammar.decode_day(int(number)) - EPOCH).days for number in numbers], dtype=pl.Int32),
        default=None,
        return_dtype=pl.Int32,
    )
    return raw.select(
        "no",
        pl.col("creature").fill_null("0").cast(pl.Int64),
        "name",
        # A creature may be written with min above max: the range is the lowest and highest of all.
        pl.min_horizontal(levels).alias("level_min"),
        pl.max_horizontal(levels).alias("level_max"),
        ((pl.col("min") == "-1") | (pl.col("max") == "-1")).alias("boss"),
        pl.col("react").replace_strict(_REACTIONS, range(6), default=None, return_dtype=pl.Int8).alias("reaction"),
        # Days in the future and missing ones are taken as the day the upload came.
        pl.min_horizontal(seen, "received_day").alias("first_day"),
    )


_PLACE = ["creature", "name", "source", "zone", "floor"]
_STOOD = [*_PLACE, "no", "first_day"]


def _met(columns: _Columns, mobs: pl.DataFrame, zones: dict[str, int]) -> pl.DataFrame:
    """Return where creatures were met, columns as in `_STOOD`: one row per `Zone` element with coordinates."""
    names, name_of = distinct(pl.Series(columns.zone_name, dtype=pl.String))
    numbers = [zones.setdefault(grammar.unescape(name), len(zones)) for name in names]
    stood = pl.DataFrame(
        {
            "row": pl.Series(columns.zone_mob, dtype=pl.UInt32),
            "zone": np.array(numbers, dtype=np.int32)[name_of],
            "floor": pl.Series(columns.zone_floor, dtype=pl.String).fill_null("0").cast(pl.Int32),
        }
    )
    # A creature with an id is the same whatever it is called: its name is no part of the key.
    name = pl.when(pl.col("creature") == 0).then("name").otherwise(pl.lit("")).alias("name")
    of_mobs = mobs.select("no", "creature", name, "first_day").with_row_index("row")
    met = stood.join(of_mobs, on="row", maintain_order="left")
    return met.with_columns(source=pl.lit(-1, dtype=pl.Int64)).select(_STOOD)


def _gathered(looted: pl.DataFrame, sources: pl.DataFrame, batch: pl.DataFrame) -> pl.DataFrame:
    """Return where sources other than kills stood: columns as in `_STOOD` and `xy`, one row per `Loot` element."""
    stood = looted.filter((sources["kind"] != "kill").gather(looted["source"]))
    return (
        stood.join(batch.select("no", first_day="received_day"), on="no", maintain_order="left")
        .with_columns(creature=pl.lit(0, dtype=pl.Int64), name=pl.lit(""))
        .select(*_STOOD, "xy")
    )


def _positions(met: pl.DataFrame, lists: list[str], gathered: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames `places` and `positions`; `lists` are the coordinates of the rows of `met`."""
    try:
        row, xy = texts.coordinates(lists)
    except texts.Broken as fault:
        raise Unreadable(met["no"][fault.index], str(fault)) from fault
    stood = pl.concat([met, gathered.select(_STOOD)])
    places = stood.select(_PLACE).unique(maintain_order=True).with_row_index("place")
    place = stood.join(places, on=_PLACE, maintain_order="left")["place"].to_numpy().astype(np.int64)
    row = np.concatenate([row, np.arange(len(met), len(stood))])
    xy = np.concatenate([xy, gathered["xy"].to_numpy()])
    key = (place[row] << _XY_BITS | (xy + 1)) << _NO_BITS | stood["no"].to_numpy()[row]
    order = np.argsort(key, kind="stable")
    key = key[order]
    at = np.flatnonzero(np.diff(key, prepend=-1))
    first_day = stood["first_day"].to_numpy()[row][order]
    key, first_day = key[at], np.minimum.reduceat(first_day, at) if len(at) else first_day
    positions = pl.DataFrame(
        {
            "place": (key >> (_XY_BITS + _NO_BITS)).astype(np.uint32),
            "xy": ((key >> _NO_BITS & ((1 << _XY_BITS) - 1)) - 1).astype(np.int32),
            "no": (key & ((1 << _NO_BITS) - 1)).astype(np.int32),
            "first_day": first_day.astype(np.int32),
        }
    )
    return places, positions


# --- loot -------------------------------------------------------------------------------------------
_SOURCE = {"source": pl.Int64, "kind": pl.String, "creature": pl.Int64, "name": pl.String, "object": pl.String}
_SOURCE |= {"item": pl.Int32, "zone": pl.Int32}
_LOOT_AT = ["no", "source", "zone", "floor", "difficulty"]


def _looted(columns: _Columns, batch: pl.DataFrame, zones: dict[str, int]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return no, source, zone, floor, difficulty (an index), xy and row per `Loot` element, and the sources."""
    no, version = _of_loots("no", columns, batch), _of_loots("version", columns, batch)
    try:
        found = take_apart(columns.loot_name, version, zones)
    except texts.Broken as fault:
        raise Unreadable(int(no[fault.index]), str(fault)) from fault
    looted = pl.DataFrame(
        {
            "no": no[found.row],
            "source": found.source,
            "zone": found.zone.astype(np.int32),
            "floor": found.floor.astype(np.int32),
            "difficulty": found.difficulty.astype(np.uint8),
            "xy": found.xy,
            "row": found.row,
        }
    )
    rows = [(number, *source, zone) for number, (source, zone) in enumerate(found.sources)]
    return looted, pl.DataFrame(rows, schema=_SOURCE, orient="row")


def _of_loots(name: str, columns: _Columns, batch: pl.DataFrame) -> texts.Ints:
    """Return a column of the batch for each `Loot` element."""
    return np.repeat(batch[name].to_numpy(), columns.loots)


def _lootings(looted: pl.DataFrame, columns: _Columns, batch: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames `loot` and `drops`."""
    keys = looted.select(_LOOT_AT).unique(maintain_order=True)
    of_looted = looted.join(keys.with_row_index("group"), on=_LOOT_AT, maintain_order="left")["group"]
    # One group more takes the texts of unknown sources.
    group = np.full(len(columns.loot_text), len(keys), dtype=np.int64)
    group[looted["row"].to_numpy()] = of_looted.to_numpy()
    try:
        found = texts.lootings(columns.loot_text, group, len(keys) + 1)
    except texts.Broken as fault:
        raise Unreadable(int(_of_loots("no", columns, batch)[fault.index]), str(fault)) from fault
    keys = keys.with_columns(pl.Series(DIFFICULTIES).gather(keys["difficulty"]).alias("difficulty"))
    loot = keys.with_columns(
        lootings=found.lootings[:-1], money_lootings=found.money_lootings[:-1], copper=found.copper[:-1]
    )
    known = found.drop_group < len(keys)
    drops = keys[found.drop_group[known]].with_columns(item=found.drop_item[known], drops=found.drops[known])
    return loot, drops
