"""Put a batch into the hot tables: COPY, one transaction, beside other workers and beside a fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import polars as pl
from django.db import connections, transaction

from ingest import hot
from ingest.intern import Interned
from ingest.sql import load


@dataclass(frozen=True)
class Member:
    """An upload of a batch: `no` is its number in the frames."""

    no: int
    upload: UUID
    content_hash: bytes
    sender: str
    received_day: int


def stage(alias: str, batch: Sequence[Member], interned: Interned) -> None:
    """COPY a batch into the set of hot tables that is being filled.

    Staging the same upload twice does no harm: the fold takes one of them.
    """
    hot.with_whole_tables(alias, lambda: _stage(alias, batch, interned))


def _stage(alias: str, batch: Sequence[Member], interned: Interned) -> None:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        stage_into(cursor, hot.schema(hot.begin_filling(cursor)), batch, interned)


def stage_into(cursor: Any, schema: str, batch: Sequence[Member], interned: Interned) -> None:
    """COPY a batch into the hot tables of a schema, under numbers of its own; part of the caller's transaction."""
    cursor.execute("SELECT nextval('staging_no') FROM generate_series(1, %s)", [len(batch)])
    numbers = pl.DataFrame(
        {"no": [member.no for member in batch], "staged": [row[0] for row in cursor.fetchall()]},
        schema={"no": pl.Int32, "staged": pl.Int32},
    )
    members = pl.DataFrame(
        {
            "no": numbers["no"],
            "upload": [str(member.upload) for member in batch],
            "content_hash": ["\\x" + member.content_hash.hex() for member in batch],
            "uploader": [interned.uploaders[member.sender] for member in batch],
            "received_day": [member.received_day for member in batch],
        }
    )
    for table, frame in (
        ("staged_upload", members),
        ("staged_creature", interned.creatures),
        ("staged_position", interned.positions),
        ("staged_loot", interned.loot),
        ("staged_drop", interned.drops),
    ):
        _copy(cursor, schema, table, _renumbered(frame, numbers))


def _renumbered(frame: pl.DataFrame, numbers: pl.DataFrame) -> pl.DataFrame:
    """Replace a batch's own numbers by those of the staged uploads; the columns keep their order."""
    return frame.join(numbers, on="no").with_columns(no=pl.col("staged")).select(frame.columns)


def _copy(cursor: Any, schema: str, table: str, frame: pl.DataFrame) -> None:
    # CSV tells null (nothing) from '' (two quotes), which is the difficulty outside instances.
    with cursor.copy(load("copy.sql", schema, table)) as copy:
        copy.write(frame.write_csv(include_header=False).encode())
