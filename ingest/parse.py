"""From documents to columns: a batch of uploads becomes four frames of typed, grouped observations.

The documents have passed the door's validation, so nothing is checked here beyond what the columns
need; what can't be read all the same raises `Unreadable` and names the upload.
Elements are collected one by one (lxml), everything behind that is done for whole columns (polars).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from typing import BinaryIO, NamedTuple, cast

import polars as pl
import zstandard
from lxml import etree

from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.reading import drop

EPOCH = date(1970, 1, 1)
#: Coordinate and loot texts are taken apart in slices of this size, whatever a batch holds.
SLICE_BYTES = 8 << 20

#: Documents below this size are read as trees.
TREE_BYTES = 1 << 20
#: Reactions in the order of `Creature.reactions`: hostile, neutral, friendly; Alliance, then Horde.
_REACTIONS = ["0", "1", "2", "10", "11", "12"]
#: A packed coordinate plus one fits in 21 bits; the rest of a 64-bit key is the place.
_XY_BITS = 21


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
    """The frames of a batch. Names stand in them as they are; `ingest.intern` turns them into ids.

    A creature is `creature` (its game id, 0 if unknown) and `name` ('' in positions where the id is
    known). `no` is the upload's, `xy` is packed as in `grammar.pack` (-1 without a position), days
    count from 1970-01-01.

    creatures: no, creature, name, level_min, level_max (null for "??"), boss, reaction (0…5 or null),
               first_day; one row per Mob element.
    positions: no, creature, name, zone, floor, xy, first_day; one row per upload and coordinate.
    sources:   source (a number within the batch), kind, creature, name, object, item, zone.
    gathered:  no, source, zone, floor, xy, first_day; where sources other than kills stood.
    loot:      no, source, zone, floor, difficulty, lootings, money_lootings, copper.
    drops:     no, source, zone, floor, difficulty, item, drops.
    """

    creatures: pl.DataFrame
    positions: pl.DataFrame
    sources: pl.DataFrame
    gathered: pl.DataFrame
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
    zone_floor: list[str] = field(default_factory=list)
    zone_text: list[str] = field(default_factory=list)
    loot_no: list[int] = field(default_factory=list)
    loot_source: list[int] = field(default_factory=list)
    loot_instance: list[int] = field(default_factory=list)
    loot_xy: list[int] = field(default_factory=list)
    loot_floor: list[int] = field(default_factory=list)
    loot_text: list[str] = field(default_factory=list)
    #: Distinct sources, and zones with their difficulty, with the numbers by which the columns refer to them.
    sources: dict[grammar.Source, int] = field(default_factory=dict)
    instances: dict[tuple[str, str], int] = field(default_factory=dict)

    def add_mob(self, document: Document, element: etree._Element) -> None:
        attributes = _attributes(element)
        self.mob_no.append(document.no)
        self.mob_name.append(attributes["name"])
        self.mob_id.append(attributes.get("blizzid", "0"))
        self.mob_min.append(attributes["min"])
        self.mob_max.append(attributes["max"])
        self.mob_react.append(attributes.get("react"))
        self.mob_date.append(attributes.get("date"))

    def add_zone(self, mob_row: int, element: etree._Element, text: str) -> None:
        self.zone_mob.append(mob_row)
        attributes = _attributes(element)
        self.zone_name.append(attributes["name"])
        self.zone_floor.append(attributes.get("level", "0"))
        self.zone_text.append(text)

    def add_loot(self, document: Document, element: etree._Element, text: str) -> None:
        source, x, y, zone, floor = grammar.loot_fields(_attributes(element)["name"], document.version)
        meant = grammar.source_of(source, floor is not None, document.version)
        self.loot_no.append(document.no)
        self.loot_source.append(self.sources.setdefault(meant, len(self.sources)))
        self.loot_instance.append(self.instances.setdefault(grammar.instance(zone), len(self.instances)))
        self.loot_xy.append(grammar.pack(x, y))
        self.loot_floor.append(int(floor or 0))
        self.loot_text.append(text)


def _attributes(element: etree._Element) -> Mapping[str, str]:
    return cast("Mapping[str, str]", element.attrib)  # lxml's types allow for bytes, which Python 2 had


def parse(documents: Iterable[Document]) -> Observations:
    """Read documents and return their observations, grouped per upload; raises `Unreadable`."""
    columns = _Columns()
    received_days: dict[int, int] = {}
    for document in documents:
        received_days[document.no] = document.received_day
        try:
            with document.open() as stream:
                _collect(stream, document, columns)
        except (etree.XMLSyntaxError, zstandard.ZstdError, grammar.BadLootName, KeyError) as error:
            raise Unreadable(document.no, f"{type(error).__name__}: {error}") from error
    days = pl.DataFrame(
        {"no": list(received_days), "received_day": list(received_days.values())}, schema_overrides={"no": pl.Int32}
    )
    mobs = _mobs(columns, days)
    places = _loot_places(columns)
    sources = places.select(_SOURCE).unique(maintain_order=True).with_row_index("source")
    places = places.join(sources, on=_SOURCE)
    loot, drops = _lootings(places)
    return Observations(
        creatures=mobs,
        positions=_mob_positions(columns, mobs),
        sources=sources,
        gathered=_gathered(places, days),
        loot=loot,
        drops=drops,
    )


def _collect(stream: BinaryIO, document: Document, columns: _Columns) -> None:
    """Add a document's elements to the columns."""
    head = stream.read(TREE_BYTES)
    if len(head) < TREE_BYTES:
        _collect_tree(etree.fromstring(head), document, columns)
    else:
        _collect_stream(_Joined(head, stream), document, columns)


def _collect_tree(root: etree._Element, document: Document, columns: _Columns) -> None:
    """Read a document at once: twice as fast as a stream, at up to 25 times its size in memory."""
    for element in root:
        if element.tag == "Loot":
            if element.text:
                columns.add_loot(document, element, element.text)
        elif element.tag == "Mob":
            row = len(columns.mob_no)
            columns.add_mob(document, element)
            for zone in element:
                if zone.text:
                    columns.add_zone(row, zone, zone.text)


def _collect_stream(stream: _Joined, document: Document, columns: _Columns) -> None:
    """Read a document element by element, in memory that does not grow with it."""
    for _, element in etree.iterparse(stream, events=("end",), no_network=True):
        if element.tag == "Loot":
            if element.text:
                columns.add_loot(document, element, element.text)
        elif element.tag == "Mob":
            columns.add_mob(document, element)
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


def _unescape(column: pl.Series) -> pl.Series:
    """Resolve the addon's escapes; names repeat a lot, so each is looked at once."""
    escaped = column.unique().drop_nulls()
    escaped = escaped.filter(escaped.str.contains(r"[|$]"))
    if escaped.is_empty():
        return column
    return column.replace(escaped, pl.Series([grammar.unescape(name) for name in escaped], dtype=pl.String))


def _mobs(columns: _Columns, days: pl.DataFrame) -> pl.DataFrame:
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
    ).join(days, on="no", how="left", maintain_order="left")
    levels = [pl.when(pl.col(end) != "-1").then(pl.col(end).cast(pl.Int16, strict=False)) for end in ("min", "max")]
    numbers = raw["date"].unique().drop_nulls()
    seen = pl.col("date").replace_strict(
        numbers,
        pl.Series([(grammar.decode_day(int(number)) - EPOCH).days for number in numbers], dtype=pl.Int32),
        default=None,
        return_dtype=pl.Int32,
    )
    received = pl.col("received_day").cast(pl.Int32)
    return raw.select(
        "no",
        pl.col("creature").cast(pl.Int64),
        "name",
        # A creature may be written with min above max: the range is the lowest and highest of all.
        pl.min_horizontal(levels).alias("level_min"),
        pl.max_horizontal(levels).alias("level_max"),
        ((pl.col("min") == "-1") | (pl.col("max") == "-1")).alias("boss"),
        pl.col("react").replace_strict(_REACTIONS, range(6), default=None, return_dtype=pl.Int8).alias("reaction"),
        # Days in the future and missing ones are taken as the day the upload came.
        pl.min_horizontal(seen, received).alias("first_day"),
    )


def _slices(frame: pl.DataFrame, text: str) -> Iterator[pl.DataFrame]:
    """Cut a frame into runs of rows whose texts are together about `SLICE_BYTES` long."""
    if frame.is_empty():
        return
    slice_of = frame.select((pl.col(text).str.len_bytes().cast(pl.Int64).cum_sum() // SLICE_BYTES).alias("slice"))
    yield from frame.with_columns(slice_of["slice"]).partition_by("slice", maintain_order=True, include_key=False)


_AT = ["no", "creature", "name", "zone", "floor"]


def _mob_positions(columns: _Columns, mobs: pl.DataFrame) -> pl.DataFrame:
    zones = pl.DataFrame(
        {
            "row": pl.Series(columns.zone_mob, dtype=pl.UInt32),
            "zone": _unescape(pl.Series(columns.zone_name, dtype=pl.String)),
            "floor": pl.Series(columns.zone_floor, dtype=pl.String).cast(pl.Int32),
            "text": pl.Series(columns.zone_text, dtype=pl.String),
        }
    ).join(
        # A creature with an id is the same whatever it is called: its name is no part of the key.
        mobs.select(
            "no",
            "creature",
            pl.when(pl.col("creature") == 0).then("name").otherwise(pl.lit("")).alias("name"),
            "first_day",
        ).with_row_index("row"),
        on="row",
    )
    places = zones.select(_AT).unique(maintain_order=True).with_row_index("place")
    zones = zones.join(places, on=_AT).select(pl.col("place").cast(pl.Int64), "first_day", "text")
    grouped = [
        _group_coordinates(
            part.with_columns(pl.col("text").str.strip_suffix(",").str.split(",")).explode("text"), "first_day"
        )
        for part in _slices(zones, "text")
    ]
    return _placed(grouped, places, _AT)


def _group_coordinates(coordinates: pl.DataFrame, day: str) -> pl.DataFrame:
    """Return place, xy and first_day per distinct coordinate of a frame of place, day and text `x/y`."""
    axes = pl.col("text").str.split_exact("/", 1)
    tenths = [axes.struct.field(f"field_{i}").cast(pl.Float64).mul(10).round().cast(pl.Int64) for i in (0, 1)]
    xy = pl.when(pl.col("text") == "-1/-1").then(pl.lit(-1, dtype=pl.Int64)).otherwise(tenths[0] * 1024 + tenths[1])
    return coordinates.group_by((pl.col("place") * (1 << _XY_BITS) + xy + 1).alias("key")).agg(pl.col(day).min())


def _placed(grouped: list[pl.DataFrame], places: pl.DataFrame, at: list[str]) -> pl.DataFrame:
    """Join the slices' coordinates and give them their places back."""
    if not grouped:
        grouped = [pl.DataFrame(schema={"key": pl.Int64, "first_day": pl.Int32})]
    whole = grouped[0] if len(grouped) == 1 else pl.concat(grouped).group_by("key").agg(pl.col("first_day").min())
    return (
        whole.select(
            (pl.col("key") // (1 << _XY_BITS)).cast(pl.UInt32).alias("place"),
            (pl.col("key") % (1 << _XY_BITS) - 1).cast(pl.Int32).alias("xy"),
            "first_day",
        )
        .join(places, on="place")
        .select(*at, "xy", "first_day")
    )


_SOURCE = ["kind", "creature", "name", "object", "item", "source_zone"]


def _loot_places(columns: _Columns) -> pl.DataFrame:
    """Return no, the source's key, xy, zone, floor, difficulty and text per Loot element; UNKN is left out."""
    sources = pl.DataFrame(
        list(columns.sources),
        schema={"kind": pl.String, "creature": pl.Int64, "name": pl.String, "object": pl.String, "item": pl.Int32},
        orient="row",
    ).with_row_index("key")
    instances = pl.DataFrame(
        list(columns.instances), schema={"zone": pl.String, "difficulty": pl.String}, orient="row"
    ).with_row_index("instance")
    return (
        pl.DataFrame(
            {
                "no": pl.Series(columns.loot_no, dtype=pl.Int32),
                "key": pl.Series(columns.loot_source, dtype=pl.UInt32),
                "instance": pl.Series(columns.loot_instance, dtype=pl.UInt32),
                "xy": pl.Series(columns.loot_xy, dtype=pl.Int64),
                "floor": pl.Series(columns.loot_floor, dtype=pl.Int32),
                "text": pl.Series(columns.loot_text, dtype=pl.String),
            }
        )
        .join(sources, on="key")
        .join(instances, on="instance")
        .filter(pl.col("kind") != "unknown")
        .with_columns(pl.when(pl.col("kind") == "fishing").then("zone").otherwise(pl.lit("")).alias("source_zone"))
        .drop("key", "instance")
    )


def _gathered(places: pl.DataFrame, days: pl.DataFrame) -> pl.DataFrame:
    """Return where sources other than kills stood: one row per upload and coordinate."""
    at = ["no", "source", "zone", "floor"]
    stood = places.filter(pl.col("kind") != "kill").join(days, on="no")
    keys = stood.select(at).unique(maintain_order=True).with_row_index("place")
    grouped = (
        stood.join(keys, on=at)
        .group_by((pl.col("place").cast(pl.Int64) * (1 << _XY_BITS) + pl.col("xy") + 1).alias("key"))
        .agg(pl.col("received_day").min().cast(pl.Int32).alias("first_day"))
    )
    return _placed([grouped], keys, at)


_LOOT_AT = ["no", "source", "zone", "floor", "difficulty"]


def _lootings(places: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the frames `loot` and `drops` of Loot elements."""
    keys = places.select(_LOOT_AT).unique(maintain_order=True).with_row_index("place")
    texts = places.join(keys, on=_LOOT_AT).select("place", "text")
    sums: list[pl.DataFrame] = []
    drops: list[pl.DataFrame] = []
    for part in _slices(texts, "text"):
        lootings = (
            part.with_columns(pl.col("text").str.strip_prefix("+").str.split("+")).explode("text").with_row_index("no")
        )
        slots = lootings.with_columns(pl.col("text").str.strip_suffix("#").str.split("#")).explode("text")
        slots = slots.filter(pl.col("text") != "")
        is_item = pl.col("text").str.contains(":", literal=True)
        copper = (
            slots.filter(~is_item)
            .group_by("place", "no")
            .agg(pl.col("text").cast(pl.Int64).sum().alias("copper"))
            .group_by("place")
            .agg(pl.len().cast(pl.Int64).alias("money_lootings"), pl.col("copper").sum())
        )
        sums.append(
            lootings.group_by("place")
            .agg(pl.len().cast(pl.Int64).alias("lootings"))
            .join(copper, on="place", how="left")
            .with_columns(pl.col("money_lootings", "copper").fill_null(0))
        )
        # A looting counts once for an item, however many slots held it.
        drops.append(
            slots.filter(is_item)
            .select("place", "no", pl.col("text").str.split(":").list.first().cast(pl.Int64).alias("item"))
            .unique()
            .group_by("place", "item")
            .agg(pl.len().cast(pl.Int64).alias("drops"))
        )
    loot_schema = {"place": pl.UInt32, "lootings": pl.Int64, "money_lootings": pl.Int64, "copper": pl.Int64}
    drop_schema = {"place": pl.UInt32, "item": pl.Int64, "drops": pl.Int64}
    loot = pl.concat([pl.DataFrame(schema=loot_schema), *sums]).group_by("place").agg(pl.all().sum())
    dropped = pl.concat([pl.DataFrame(schema=drop_schema), *drops]).group_by("place", "item").agg(pl.all().sum())
    return (
        loot.join(keys, on="place").select(*_LOOT_AT, "lootings", "money_lootings", "copper"),
        dropped.join(keys, on="place").select(*_LOOT_AT, "item", "drops"),
    )
