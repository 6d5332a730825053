"""Stage a batch: COPY it into the hot tables in one transaction, beside other workers and beside a fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from django.db import connections, transaction
from numpy.typing import NDArray

from ingest.batch.observations import Interned, Member
from ingest.batch.sql import load
from ingest.merge import hot_tables
from ingest.merge.binary_copy import Blobs, Column, Scalars, write

#: Sightings of a habitat in one staged row, at most: 1.5 MB.
ROW_SIGHTINGS = 1 << 17


def stage(alias: str, batch: Sequence[Member], interned: Interned) -> None:
    """COPY a batch into the set of hot tables that is being filled.

    Staging the same upload twice does no harm: the fold takes one of them.
    """

    def fill() -> None:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            stage_into(cursor, hot_tables.schema(hot_tables.lock_active_set(cursor)), batch, interned)

    hot_tables.with_whole_tables(alias, fill)


def stage_into(cursor: Any, schema: str, batch: Sequence[Member], interned: Interned) -> None:
    """COPY a batch into the staging tables of a schema, in the caller's transaction."""
    cursor.execute("SELECT nextval('staging_no') FROM generate_series(1, %s)", [len(batch)])
    staged = [row[0] for row in cursor.fetchall()]
    staged_no = np.zeros(1 + max(member.no for member in batch), dtype=np.int32)
    staged_no[[member.no for member in batch]] = staged
    members = pl.DataFrame(
        {
            "no": staged,
            "upload": [str(member.upload) for member in batch],
            "content_hash": ["\\x" + member.content_hash.hex() for member in batch],
            "uploader": [interned.uploaders[member.sender] for member in batch],
            "received_day": [member.received_day for member in batch],
        }
    )
    _copy(cursor, schema, "staged_upload", members)
    for table, frame in (
        ("staged_creature", interned.creatures),
        ("staged_loot", interned.loot),
        ("staged_drop", interned.drops),
    ):
        _copy(cursor, schema, table, frame.with_columns(no=pl.Series(staged_no[frame["no"].to_numpy()])))
    _copy_positions(cursor, schema, interned, staged_no)


def _copy(cursor: Any, schema: str, table: str, frame: pl.DataFrame) -> None:
    # CSV distinguishes null (nothing) from '' (two quotes), which is the difficulty outside instances.
    with cursor.copy(load("copy.sql", schema, table)) as copy:
        copy.write(frame.write_csv(include_header=False).encode())


def _copy_positions(cursor: Any, schema: str, interned: Interned, staged_no: NDArray[np.int32]) -> None:
    """COPY positions packed, a row per habitat, so that a thousand coordinates cost little more than one."""
    habitat, xy, no, first_day = (column.to_numpy().astype(np.int64) for column in interned.positions)
    counts = np.bincount(habitat, minlength=len(interned.habitats))
    # A habitat with much of the batch gets several rows: a fold reads a few at a time.
    row_counts = -(-counts // ROW_SIGHTINGS)
    begins = np.repeat(np.cumsum(counts) - counts, row_counts)
    nth = np.arange(len(begins)) - np.repeat(np.cumsum(row_counts) - row_counts, row_counts)
    end = np.minimum(begins + (nth + 1) * ROW_SIGHTINGS, np.repeat(np.cumsum(counts), row_counts))
    habitats = interned.habitats[np.repeat(np.arange(len(counts)), row_counts)]
    columns: list[Column] = [
        Scalars(habitats["subject"].to_numpy(), 8),
        Scalars(habitats["zone"].to_numpy()),
        Scalars(habitats["floor"].to_numpy()),
        Blobs([xy, staged_no[no], first_day], end),
    ]
    with cursor.copy(load("copy_binary.sql", schema, "staged_position")) as copy:
        write(copy, columns)
