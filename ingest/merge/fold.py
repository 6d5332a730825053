"""The fold: merge what is staged into a locale's permanent tables, in one transaction with the ledger.

Exactly once: counts and ledger change together or not at all, and contents that the ledger holds are left out.
In any order: every statement adds, or takes the least or the greatest, so any order and any batching of uploads give
the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db import connections, transaction

from core import locks
from core.locks import Lock
from ingest.lifecycle import Merged
from ingest.merge import hot_tables, sightings
from ingest.merge.chunks import rewrite
from ingest.merge.habitat_rows import StagedUploads
from ingest.merge.sightings import Entries, Ints
from ingest.merge.sql import load

#: After so many failed folds of the same set in a row, its uploads are given back.
TRIES = 3

#: Called with the uploads of a set that could not be folded; it queues them apart from the others.
GiveBack = Callable[[Sequence[UUID]], object]


def fold(alias: str, give_back: GiveBack | None = None) -> dict[UUID, Merged]:
    """Fold one set of hot tables; return the ledger's entries of its uploads.

    Return an empty dictionary if nothing is staged or another process is folding this locale. A set that failed
    `TRIES` times is emptied instead, once `give_back` has taken its uploads.
    """
    return hot_tables.with_whole_tables(alias, lambda: _fold(alias, give_back))


def _fold(alias: str, give_back: GiveBack | None) -> dict[UUID, Merged]:
    # The lock is the session's: switching sets and folding are transactions of their own.
    with locks.held_if_free(alias, Lock.FOLD) as mine, connections[alias].cursor() as cursor:
        number = _next_set(alias, cursor) if mine else None
        if number is None:
            return {}
        if hot_tables.begin_try(cursor) >= TRIES and give_back:
            _give_back(alias, number, give_back)
            return {}
        return _fold_set(alias, number)


def _next_set(alias: str, cursor: Any) -> int | None:
    """Return the set to fold: the one that an interrupted fold left, else the one being filled, after a switch."""
    cursor.execute("SELECT filling FROM hot_state")
    filling = int(cursor.fetchone()[0])
    if _has_uploads(cursor, 1 - filling):
        return 1 - filling
    if not _has_uploads(cursor, filling):
        return None
    with transaction.atomic(using=alias):
        cursor.execute("UPDATE hot_state SET filling = %s", [1 - filling])
    return filling


def _has_uploads(cursor: Any, number: int) -> bool:
    cursor.execute(load("has_uploads.sql", hot_tables.schema(number)))
    return bool(cursor.fetchone()[0])


def _give_back(alias: str, number: int, give_back: GiveBack) -> None:
    """Empty a set after its uploads were given back. After a crash in between, the next fold does it again."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        locks.wait_in_transaction(cursor, Lock.HOT_SET, number)
        cursor.execute(load("set_uploads.sql", hot_tables.schema(number)))
        give_back([row[0] for row in cursor.fetchall()])
        cursor.execute(load("empty_staging_tables.sql", hot_tables.schema(number)))
        cursor.execute("UPDATE hot_state SET tries = 0")


def _fold_set(alias: str, number: int) -> dict[UUID, Merged]:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        # Workers that began to stage before the switch still share the set; no new ones come.
        locks.wait_in_transaction(cursor, Lock.HOT_SET, number)
        hot_tables.use_ram_for_temporary(alias, cursor)
        merged = fold_from(cursor, staged=hot_tables.schema(number), into="public")
        cursor.execute("UPDATE hot_state SET folded_at = now(), took = clock_timestamp() - now(), tries = 0")
    return merged


def fold_from(cursor: Any, *, staged: str, into: str) -> dict[UUID, Merged]:
    """Merge the staging tables of schema `staged` into the tables of schema `into`, and empty them.

    Runs in the caller's transaction, which holds the locale's fold lock, and sets its search path. Tables that `into`
    lacks (the dictionaries, for rebuild tables and the baseline) are those of `public`. Return the ledger's entries.
    """
    cursor.execute("SELECT set_config('search_path', %s, true)", [f"{staged}, {into}, public"])
    cursor.execute("SELECT set_config('work_mem', %s, true)", [f"{settings.FOLD_WORK_MEM_MB}MB"])
    # Without statistics, all of ledger, habitat and item_drop would be read for a handful of uploads.
    cursor.execute(load("analyze_staged.sql"))
    cursor.execute(load("delete_merged.sql"))
    if cursor.rowcount:
        delete_orphans(cursor)
    create_working_tables(cursor)
    _fold_positions(cursor)
    cursor.execute(load("fold_loot.sql"))
    # The planner can't know how many reports a creature has nor how many names are touched, and would loop over them.
    cursor.execute("SET LOCAL enable_nestloop = off")
    cursor.execute(load("fold_creatures.sql"))
    fold_names(cursor)
    cursor.execute(load("fold_ledger.sql"))
    merged = {upload: Merged(merged_at, contribution) for upload, merged_at, contribution in cursor.fetchall()}
    cursor.execute(load("empty_staging_tables.sql", staged))
    drop_working_tables(cursor)
    return merged


# --- steps that a subtraction takes as well ---------------------------------------------------------
def create_working_tables(cursor: Any) -> None:
    """Create the working tables of a fold from what is staged."""
    cursor.execute(load("working_tables.sql"))


def drop_working_tables(cursor: Any) -> None:
    """Drop the working tables before the transaction ends, so that it can fold once more."""
    cursor.execute("DROP TABLE contribution, touched_habitat, staged_row, touched_name, staged_report")


def delete_orphans(cursor: Any) -> None:
    """Delete the staged rows of uploads that were deleted from staged_upload."""
    cursor.execute(load("delete_orphans.sql"))


def fold_names(cursor: Any) -> None:
    """Decide under which creature each touched name is shown, and note what is to be published again."""
    cursor.execute(load("fold_names.sql"))
    cursor.execute(load("fold_changed_counts.sql"))


# --- positions --------------------------------------------------------------------------------------
def _fold_positions(cursor: Any) -> None:
    """Merge staged_position into habitat, and write what each upload contributes: the heaviest step of a fold."""
    uploads = StagedUploads(cursor)
    new, seen = np.zeros(len(uploads.no), dtype=np.int64), np.zeros(len(uploads.no), dtype=np.int64)

    def merge(known: Entries, staged: Entries, seen_in: Ints, creatures: Any) -> Entries:
        dots = sightings.of_habitats(staged.key, creatures)
        np.add(seen, np.bincount(seen_in[dots], minlength=len(seen)), out=seen)
        np.add(new, np.bincount(_discoverers(known, staged, seen_in, dots), minlength=len(new)), out=new)
        return sightings.add(known, sightings.unite(staged))

    rewrite(cursor, uploads, merge)
    rows = zip(uploads.no.tolist(), new.tolist(), seen.tolist(), strict=True)
    cursor.executemany("INSERT INTO contribution (no, new_positions, positions) VALUES (%s, %s, %s)", list(rows))


def _discoverers(known: Entries, staged: Entries, seen_in: Ints, dots: Any) -> Ints:
    """Return the upload that contributes each new coordinate: of several uploads the one staged first."""
    coordinate = staged.coordinate
    starts = sightings.starts(coordinate)
    if not len(starts):
        return starts
    new = dots[starts] & ~sightings.is_in(coordinate[starts], known.coordinate)
    discoverers: Ints = np.minimum.reduceat(seen_in, starts)[new]
    return discoverers
