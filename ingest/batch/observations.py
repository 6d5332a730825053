"""What passes between the steps of a batch: documents to read, their observations, and these with ids."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple
from uuid import UUID

import polars as pl


class Document(NamedTuple):
    """One upload to read: `no` is its index in the batch, `received_day` counts from 1970-01-01."""

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
    """The frames of a batch. Its numbers are local to the batch; `ingest.batch.intern` turns them into ids.

    A creature is `creature` (its game id, 0 if unknown) and `name` ('' in `habitats` if the id is known). `no` is the
    upload's number, `zone` an index into `zones`, `xy` is packed as in `grammar.pack` (-1 without a position), days
    count from 1970-01-01.

    zones:     names.
    creatures: no, creature, name, level_min, level_max (null for "??"), boss, reaction (0…5 or null), first_day;
               one row per Mob element.
    habitats:  habitat (its number), creature, name, source, zone, floor. `source` is -1 for creatures; a gathering
               source has creature 0 and no name.
    positions: habitat, xy, no, first_day; one row per habitat, coordinate and upload, in this order.
    sources:   source (its number), kind, creature, name, object, item, zone (-1: none).
    loot:      no, source, zone, floor, difficulty, lootings, money_lootings, copper.
    drops:     no, source, zone, floor, difficulty, item, drops.
    """

    zones: list[str]
    creatures: pl.DataFrame
    habitats: pl.DataFrame
    positions: pl.DataFrame
    sources: pl.DataFrame
    loot: pl.DataFrame
    drops: pl.DataFrame


@dataclass(frozen=True)
class Interned:
    """A batch's observations with ids from the locale's dictionaries.

    creatures: no, creature (raw id), name, level_min, level_max, boss, reaction, first_day.
    habitats:  subject (raw creature id, or minus a source id), zone, floor; one row per habitat, found by its index.
    positions: habitat, xy, no, first_day; in this order.
    loot:      no, source, zone, floor, difficulty, lootings, money_lootings, copper.
    drops:     no, source, zone, floor, difficulty, item, drops.
    uploaders: sender → uploader id.
    """

    creatures: pl.DataFrame
    habitats: pl.DataFrame
    positions: pl.DataFrame
    loot: pl.DataFrame
    drops: pl.DataFrame
    uploaders: dict[str, int]


@dataclass(frozen=True)
class Member:
    """An upload of a batch; `no` is its number in the frames."""

    no: int
    upload: UUID
    content_hash: bytes
    sender: str
    received_day: int
