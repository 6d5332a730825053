"""Loot columns: the `Loot` elements of a batch, one row each, with their sources and locations numbered.

Nine of ten elements are `Loot`, so each distinct part of their names is read once for the whole batch.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.formats.mobmapdata import grammar
from ingest.formats.mobmapdata.attribute_cache import AttributeCache
from ingest.formats.mobmapdata.compiled import Columns

Ints = NDArray[np.int64]

DIFFICULTIES = ["", *grammar.DIFFICULTIES]
#: Sources without a number: an unknown one, and fishing, which gets a number per zone.
UNKNOWN, _FISHING = -1, -2
#: Entries of each cache. It needs a bound, as equal names can be written in any number of ways.
CACHE_SIZE = 1 << 16


class LootColumns(NamedTuple):
    """Arrays with one entry per `Loot` element that has lootings, but for the last four.

    no:             the upload's number.
    source:         index into `sources` and `fishing_zones`, or `UNKNOWN`.
    location:       row of `locations`.
    xy:             coordinate, packed as in `grammar.pack`; -1 is unknown.
    lootings:       number of lootings; `money_lootings` of them gave money, `copper` in all.
    drops:          number of drops; an item drops once per looting.
    items:          int32, the items' ids of all drops, in the order of the elements.
    locations:      shape (n, 3): zone, floor, index into `DIFFICULTIES`.
    sources:        what was looted.
    fishing_zones:  per source the zone, if it is fishing, else -1.
    """

    no: Ints
    source: Ints
    location: Ints
    xy: Ints
    lootings: Ints
    money_lootings: Ints
    copper: Ints
    drops: Ints
    items: NDArray[np.int32]
    locations: Ints
    sources: list[grammar.Source]
    fishing_zones: Ints


class LootReader:
    """Collects the `Loot` elements of a batch. `zones` numbers the zones' names, shared with creatures.

    The C scan numbers sources and locations by `sources` and `locations`, a cache per version, and adds its rows with
    `extend`; elements that lxml read are added with `add`.
    """

    def __init__(self, zones: dict[str, int]) -> None:
        self._zones = zones
        self._source_numbers: dict[grammar.Source, int] = {}
        self._location_numbers: dict[tuple[int, int, int], int] = {}
        self.sources = {
            version: AttributeCache(partial(self._source_as_written, version=version), CACHE_SIZE)
            for version in grammar.FAST_VERSIONS
        }
        self.locations = {
            version: AttributeCache(partial(self._location_as_written, version=version), CACHE_SIZE)
            for version in grammar.FAST_VERSIONS
        }
        #: Rows of `Columns.loots`, and its items.
        self._rows = array("q")
        self._items = array("i")

    def extend(self, columns: Columns) -> None:
        """Add the elements that the C scan read."""
        self._rows.frombytes(columns.loots)
        self._items.frombytes(columns.items)

    def add(self, name: str, lootings: grammar.Lootings, no: int, version: int) -> None:
        """Add an element of any form; raises `grammar.BadLootName`."""
        raw_source, x, y, raw_zone, floor = grammar.loot_fields(name, version)
        if (x == "-1") != (y == "-1"):
            raise grammar.BadLootName("only one axis of a coordinate is unknown")
        source = self._source(raw_source, floor is not None, version)
        location = self._location(raw_zone, int(floor or 0))
        counts = (lootings.lootings, lootings.money_lootings, lootings.copper, len(lootings.items))
        self._rows.extend((no, source, location, grammar.pack(x, y), *counts))
        self._items.extend(lootings.items)

    def forget_names(self) -> None:
        """Free the caches; nothing is collected afterwards."""
        self.sources.clear()
        self.locations.clear()

    def finish(self) -> LootColumns:
        """Return what was collected; nothing is collected afterwards."""
        columns = np.array(self._rows, dtype=np.int64).reshape(-1, 8).T.copy()
        del self._rows
        no, source, location, xy, lootings, money_lootings, copper, drops = columns
        locations = np.array(list(self._location_numbers), dtype=np.int64).reshape(-1, 3)
        is_fishing = np.flatnonzero(source == _FISHING)
        zones, zone_index = np.unique(locations[location[is_fishing], 0], return_inverse=True)
        source[is_fishing] = len(self._source_numbers) + zone_index
        fishing_zones = np.concatenate([np.full(len(self._source_numbers), -1, dtype=np.int64), zones])
        sources = [*self._source_numbers, *[grammar.Source("fishing")] * len(zones)]
        items = np.array(self._items, dtype=np.int32)
        return LootColumns(
            *(no, source, location, xy, lootings, money_lootings, copper, drops),
            *(items, locations, sources, fishing_zones),
        )

    def _source_as_written(self, attributes: Mapping[str, str], version: int) -> int:
        return self._source(attributes["name"], version == grammar.BY_ID, version)

    def _source(self, raw: str, by_id: bool, version: int) -> int:
        source = grammar.source_of(raw, by_id, version)
        if source.kind == "unknown":
            return UNKNOWN
        if source.kind == "fishing":
            return _FISHING
        return self._source_numbers.setdefault(source, len(self._source_numbers))

    def _location_as_written(self, attributes: Mapping[str, str], version: int) -> int:
        return self._location(*grammar.zone_and_floor(attributes["name"], version))

    def _location(self, zone: str, floor: int) -> int:
        name, difficulty = grammar.instance(zone)
        location = (self._zones.setdefault(name, len(self._zones)), floor, DIFFICULTIES.index(difficulty))
        return self._location_numbers.setdefault(location, len(self._location_numbers))
