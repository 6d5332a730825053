"""The names of `Loot` elements taken apart, for whole batches: what was looted, where, at which difficulty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl

from ingest.formats.mobmapdata import grammar
from ingest.texts import Broken, Ints

T = TypeVar("T")

DIFFICULTIES = ["", *grammar.DIFFICULTIES]
_FIELDS = ["source", "x", "y", "zone", "floor"]
_OLDEST = grammar.VERSIONS[0]
#: Places in the list of sources that are none: the source is unknown, or depends on the zone.
_UNKNOWN, _FISHING = -1, -2


class Looted(NamedTuple):
    """Elements with a known source, arrays in step: `row` is the name's index.

    `source` is an index into `sources`, a pair of the source and (for fishing) the zone's number, else -1;
    `difficulty` is one into `DIFFICULTIES`, `xy` is packed as in `grammar.pack`, and -1 for kills, whose places
    are known from elsewhere.
    """

    row: Ints
    source: Ints
    zone: Ints
    floor: Ints
    difficulty: Ints
    xy: Ints
    sources: list[tuple[grammar.Source, int]]


def take_apart(names: Sequence[str], versions: Ints, zones: dict[str, int]) -> Looted:
    """Take names apart, each as its version has it; `zones` numbers the names of zones and grows.

    Raises `Broken`.
    """
    fields = _split(names, versions)
    row = fields["row"].to_numpy()
    zone_texts, zone_of = distinct(fields["zone"])
    instances = _read(zone_texts, zone_of, row, names, lambda index: grammar.instance(zone_texts[index]))
    zone = np.array([zones.setdefault(name, len(zones)) for name, _ in instances], dtype=np.int64)[zone_of]
    difficulty = np.array([DIFFICULTIES.index(name) for _, name in instances], dtype=np.int64)[zone_of]

    source_texts, text_of = distinct(fields["source"])
    by_id = fields["floor"].is_not_null().to_numpy()
    version = versions[row] - _OLDEST
    forms, form_of = np.unique((text_of * 2 + by_id) * len(grammar.VERSIONS) + version, return_inverse=True)

    def meaning(index: int) -> grammar.Source:
        text_and_id, newer = divmod(int(forms[index]), len(grammar.VERSIONS))
        return grammar.source_of(source_texts[text_and_id // 2], bool(text_and_id % 2), _OLDEST + newer)

    source, sources = _number(_read(forms, form_of, row, names, meaning), form_of, zone)
    known = source != _UNKNOWN
    floor = fields["floor"].fill_null("0").cast(pl.Int64).to_numpy()
    # The places of kills are known from elsewhere, and kills are most of all.
    gathered = np.flatnonzero(known & np.array([meant.kind != "kill" for meant, _ in sources] + [False])[source])
    xy = np.full(len(row), -1, dtype=np.int64)
    xy[gathered] = fields[gathered].select(xy=_packed())["xy"].to_numpy()
    return Looted(row[known], source[known], zone[known], floor[known], difficulty[known], xy[known], sources)


def distinct(column: pl.Series) -> tuple[list[str], Ints]:
    """Return the distinct texts of a column, and for each row which of them it is."""
    rows = column.rename("text").to_frame()
    found = rows.unique(maintain_order=True)
    numbered = rows.join(found.with_row_index("index"), on="text", maintain_order="left")
    return found["text"].to_list(), numbered["index"].to_numpy().astype(np.int64)


def _split(names: Sequence[str], versions: Ints) -> pl.DataFrame:
    """Return row, source, x, y, zone and floor (null in version 42's form)."""
    frame = pl.DataFrame({"row": np.arange(len(names)), "name": pl.Series(names, dtype=pl.String), "version": versions})
    signs = frame["name"].str.count_matches("#", literal=True).to_numpy()
    # A name with just as many number signs as its version needs can be read in one way only.
    is_44, is_42 = (versions == 44) & (signs == 4), (versions == 42) & (signs == 3)
    parts = []
    for chosen, count in ((is_44, 5), (is_42, 4)):
        plain = frame if chosen.all() else frame.filter(chosen)
        fields = plain["name"].str.splitn("#", count).struct.rename_fields(_FIELDS[:count]).struct.unnest()
        parts.append(plain.select("row").hstack(fields))
    rare = [(row, *_loot_fields(row, *rest)) for row, *rest in frame.filter(~(is_44 | is_42)).iter_rows()]
    schema = {"row": pl.Int64} | dict.fromkeys(_FIELDS, pl.String)
    return pl.concat([*parts, pl.DataFrame(rare, schema=schema, orient="row")], how="diagonal")


def _loot_fields(row: int, name: str, version: int) -> tuple[str, str, str, str, str | None]:
    try:
        return grammar.loot_fields(name, version)
    except grammar.BadLootName as fault:
        raise Broken(row, name) from fault


def _read(
    distinct_ones: Sequence[object] | Ints, which: Ints, row: Ints, names: Sequence[str], read: Callable[[int], T]
) -> list[T]:
    """Return what `read` makes of each distinct value, by its index."""
    values = []
    for index in range(len(distinct_ones)):
        try:
            values.append(read(index))
        except grammar.BadLootName as fault:
            first = int(row[np.flatnonzero(which == index)[0]])
            raise Broken(first, names[first]) from fault
    return values


def _number(
    meanings: Sequence[grammar.Source], meaning_of: Ints, zone: Ints
) -> tuple[Ints, list[tuple[grammar.Source, int]]]:
    """Number the sources; one that is fishing is told apart by its zone."""
    numbers: dict[tuple[grammar.Source, int], int] = {}
    special = {"unknown": _UNKNOWN, "fishing": _FISHING}
    number_of = [
        special[meaning.kind] if meaning.kind in special else numbers.setdefault((meaning, -1), len(numbers))
        for meaning in meanings
    ]
    source = np.array(number_of, dtype=np.int64)[meaning_of]
    fished = np.flatnonzero(source == _FISHING)
    waters, water_of = np.unique(zone[fished], return_inverse=True)
    fishing = [numbers.setdefault((grammar.Source("fishing"), int(water)), len(numbers)) for water in waters]
    source[fished] = np.array(fishing, dtype=np.int64)[water_of]
    return source, list(numbers)


def _packed() -> pl.Expr:
    """Return the coordinate of the texts x and y as `grammar.pack` does."""
    x, y = (pl.col(axis).cast(pl.Float64).mul(10).round().cast(pl.Int64) for axis in ("x", "y"))
    return pl.when(pl.col("x") == "-1").then(pl.lit(-1, dtype=pl.Int64)).otherwise(x * 1024 + y)
