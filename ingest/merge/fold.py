"""Merge what is staged into a locale's permanent tables: one transaction, the ledger with it.

Invariant 3 rests here: counts and ledger change together or not at all, and contents that the
ledger knows are left out. Invariant 6 as well: every statement adds, takes the least or the greatest,
so any order and any batching give the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction

from ingest.merge import hot_tables
from ingest.merge.positions import fold_positions
from ingest.merge.sql import load


@dataclass(frozen=True)
class Merged:
    """What the ledger says of an upload: when it was merged and what it brought."""

    merged_at: datetime
    contribution: dict[str, int]


def already_merged(alias: str, contents: Sequence[bytes]) -> dict[bytes, Merged]:
    """Return those contents (by their hashes) whose counts are in the tables already."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("find_merged.sql"), {"contents": list(contents)})
        return {
            bytes(content): Merged(merged_at, contribution) for content, merged_at, contribution in cursor.fetchall()
        }


#: Folds of the same set that may fail one after the other, by its content or with their process.
TRIES = 3


def fold(alias: str, give_back: Callable[[Sequence[UUID]], object] | None = None) -> dict[UUID, Merged]:
    """Merge one set of hot tables; returns what the ledger says of its uploads.

    Nothing is staged, or another process is folding this locale: returns an empty dictionary. As well for a set
    that can't be folded, after some tries: it is emptied once `give_back` has taken its uploads back.
    """
    return hot_tables.with_whole_tables(alias, lambda: _fold(alias, give_back))


def _fold(alias: str, give_back: Callable[[Sequence[UUID]], object] | None) -> dict[UUID, Merged]:
    # Held by the session, as turning to the other set and folding are transactions of their own.
    with hot_tables.folding(alias) as mine, connections[alias].cursor() as cursor:
        number = _next_set(alias, cursor) if mine else None
        if number is None:
            return {}
        if hot_tables.begin_try(cursor) >= TRIES and give_back:
            _give_back(alias, number, give_back)
            return {}
        return _fold_set(alias, number)


def _give_back(alias: str, number: int, give_back: Callable[[Sequence[UUID]], object]) -> None:
    """Empty a set after its uploads were taken back. A crash in between repeats it, or the next fold merges them."""
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [hot_tables.SET_LOCK, number])
        cursor.execute(load("set_uploads.sql", hot_tables.schema(number)))
        give_back([row[0] for row in cursor.fetchall()])
        cursor.execute(load("empty_hot_tables.sql", hot_tables.schema(number)))
        cursor.execute("UPDATE hot_state SET tries = 0")


def _next_set(alias: str, cursor: Any) -> int | None:
    """Return the set to fold: what an interrupted fold left behind, else the one being filled, once it rests."""
    cursor.execute("SELECT filling FROM hot_state")
    filling = int(cursor.fetchone()[0])
    if _holds_something(cursor, 1 - filling):
        return 1 - filling
    if not _holds_something(cursor, filling):
        return None
    with transaction.atomic(using=alias):
        cursor.execute("UPDATE hot_state SET filling = %s", [1 - filling])
    return filling


def _holds_something(cursor: Any, number: int) -> bool:
    cursor.execute(load("holds_something.sql", hot_tables.schema(number)))
    return bool(cursor.fetchone()[0])


def _fold_set(alias: str, number: int) -> dict[UUID, Merged]:
    with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
        # Stagers that began before the turn still hold the set; no new ones come.
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [hot_tables.SET_LOCK, number])
        hot_tables.use_ram_for_temporary(alias, cursor)
        merged = fold_from(cursor, staged=hot_tables.schema(number), into="public")
        cursor.execute("UPDATE hot_state SET folded_at = now(), took = clock_timestamp() - now(), tries = 0")
    return merged


def fold_from(cursor: Any, *, staged: str, into: str) -> dict[UUID, Merged]:
    """Merge the staging tables of one schema into the tables of another, and empty them.

    In the caller's transaction, which holds the locale's fold lock; its search path is set. Tables that `into` lacks
    (the dictionaries, beside a rebuild) are those of `public`. Returns what the ledger says of the uploads.
    """
    cursor.execute("SELECT set_config('search_path', %s, true)", [f"{staged}, {into}, public"])
    cursor.execute("SELECT set_config('work_mem', %s, true)", [f"{settings.FOLD_WORK_MEM_MB}MB"])
    # Else the whole of ledger, habitat and item_drop is read for a handful of uploads.
    cursor.execute(load("fold_analyze.sql"))
    cursor.execute(load("fold_choose.sql"))
    if cursor.rowcount:
        cursor.execute(load("fold_orphans.sql"))
    cursor.execute(load("fold_tables.sql"))
    fold_positions(cursor)
    cursor.execute(load("fold_loot.sql"))
    # The planner can't know how long a creature's notes are, nor how many names are touched, and would loop over them.
    cursor.execute("SET LOCAL enable_nestloop = off")
    cursor.execute(load("fold_creatures.sql"))
    cursor.execute(load("fold_names.sql"))
    cursor.execute(load("fold_marks.sql"))
    cursor.execute(load("fold_ledger.sql"))
    merged = {upload: Merged(merged_at, contribution) for upload, merged_at, contribution in cursor.fetchall()}
    cursor.execute(load("empty_hot_tables.sql", staged))
    # Folding twice in one transaction finds no tables of the first time.
    cursor.execute("DROP TABLE contribution, touched_habitat, staged_row, touched_name, staged_report")
    return merged
