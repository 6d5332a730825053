"""Subtract uploads from a locale's permanent tables: the reverse of a fold.

Sums are subtracted. Least and greatest values follow from the reports and entries that are kept of every upload. Only
where one uploader saw the same coordinate in several uploads are the days that remain ambiguous
(`ingest.maintenance.ambiguous_days`): then the uploader's other uploads are read once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction

from core import locks
from core.locks import Lock
from ingest.batch.observations import Unreadable
from ingest.batch.read import batches, read
from ingest.batch.stage import stage_into
from ingest.maintenance import baseline_tables
from ingest.maintenance.ambiguous_days import AmbiguousDays
from ingest.maintenance.sql import load
from ingest.merge import fold, hot_tables, ledger, sightings
from ingest.merge.chunks import rewrite
from ingest.merge.habitat_rows import StagedUploads
from ingest.merge.sightings import Entries
from ingest.models import Upload


def subtract(alias: str, uploads: Sequence[Upload]) -> dict[UUID, str]:
    """Subtract uploads and delete their contents from the ledger, in one transaction.

    Their documents are read before, while folds go on; under the fold lock only those that were merged meanwhile.
    Uploads that the ledger does not hold are left out, so repeating it does nothing. Return the uploads that could not
    be subtracted because their documents can't be read, with the reason.
    """
    unreadable: dict[UUID, str] = {}

    def attempt() -> None:
        unreadable.clear()
        _read_and_subtract(alias, uploads, unreadable)

    hot_tables.with_whole_tables(alias, attempt)
    return unreadable


def _read_and_subtract(alias: str, uploads: Sequence[Upload], unreadable: dict[UUID, str]) -> None:
    ids = [upload.id for upload in uploads]
    with connections[alias].cursor() as cursor:
        merged = ledger.uploads(alias, ids)
        with hot_tables.temporary(alias, cursor):
            cursor.execute(load("subtract_tables.sql"))
            _stage(alias, cursor, [upload for upload in uploads if upload.id in merged], unreadable)
            read_ahead = _read_others_ahead(alias, cursor, uploads) if merged else set()
            with transaction.atomic(using=alias):
                locks.wait_in_transaction(cursor, Lock.FOLD)
                since = ledger.uploads(alias, ids) - merged
                _stage(alias, cursor, [upload for upload in uploads if upload.id in since], unreadable)
                if merged or since:
                    _subtract(alias, cursor, uploads[0].locale, read_ahead)


def _prepare(alias: str, cursor: Any) -> None:
    """Set this transaction up like a fold's, over the temporary staging tables."""
    cursor.execute("SET LOCAL search_path TO pg_temp, public")
    cursor.execute("SELECT set_config('work_mem', %s, true)", [f"{settings.FOLD_WORK_MEM_MB}MB"])
    # As in a fold: the planner can't know how long packed arrays are.
    cursor.execute("SET LOCAL enable_nestloop = off")
    hot_tables.use_ram_for_temporary(alias, cursor)
    fold.create_working_tables(cursor)


def _subtract(alias: str, cursor: Any, locale: str, read_ahead: set[UUID]) -> None:
    """Subtract what is staged, under the fold lock. `read_ahead` are other uploads that are staged already."""
    cursor.execute(load("delete_not_merged.sql"))
    if cursor.rowcount:
        cursor.execute("SET LOCAL search_path TO pg_temp, public")
        fold.delete_orphans(cursor)
    _prepare(alias, cursor)
    cursor.execute(load("subtract_creatures.sql"))
    ambiguous = _subtract_positions(cursor, write=True)
    cursor.execute(load("subtract_loot.sql"))
    # Before names move to other creatures: files that show them until now are stale, too.
    cursor.execute(load("subtract_stale.sql"))
    fold.fold_names(cursor)
    cursor.execute(load("subtract_ledger.sql"))
    if ambiguous:
        # Some uploads were merged since. One that can't be read keeps its counts, and days stay as wide as they were.
        others = _others(alias, cursor, locale, ambiguous)
        _keep_wanted(alias, cursor, [other for other in others if other.id not in read_ahead])
        cursor.execute(load("stage_remaining.sql"))
        _mend_days(cursor, ambiguous)
    fold.drop_working_tables(cursor)


def _read_others_ahead(alias: str, cursor: Any, uploads: Sequence[Upload]) -> set[UUID]:
    """Read the other uploads that ambiguous days will be found in, as things stand; return which."""
    with transaction.atomic(using=alias):
        _prepare(alias, cursor)
        ambiguous = _subtract_positions(cursor, write=False)
        fold.drop_working_tables(cursor)
    cursor.execute(load("note_wanted.sql"))
    gone = {upload.id for upload in uploads}
    others = [other for other in _others(alias, cursor, uploads[0].locale, ambiguous) if other.id not in gone]
    _keep_wanted(alias, cursor, others)
    return {other.id for other in others}


def _keep_wanted(alias: str, cursor: Any, others: Sequence[Upload]) -> None:
    """Stage the sightings of other uploads in habitats in which something is subtracted."""
    for batch in batches(others):
        _stage(alias, cursor, batch, {})
        with transaction.atomic(using=alias):
            cursor.execute("SET LOCAL search_path TO pg_temp, public")
            cursor.execute(load("keep_wanted.sql"), {"uploads": [other.id for other in batch]})
            fold.delete_orphans(cursor)


def _stage(alias: str, cursor: Any, uploads: Sequence[Upload], unreadable: dict[UUID, str]) -> None:
    def on_unreadable(upload: Upload, fault: Unreadable) -> None:
        unreadable[upload.id] = str(fault)

    for batch in batches(uploads):
        members, interned = read(alias, batch, on_unreadable, skip_unavailable=True)
        if interned is not None:
            stage_into(cursor, hot_tables.TEMPORARY, members, interned)


def _subtract_positions(cursor: Any, *, write: bool) -> AmbiguousDays:
    """Subtract the staged positions from the habitats, or only find out what would follow (`write=False`).

    Return the entries whose days are ambiguous afterwards.
    """
    ambiguous = AmbiguousDays(cursor)

    def merge(known: Entries, gone: Entries, *_: Any) -> Entries:
        remaining, is_ambiguous = sightings.subtract(known, sightings.unite(gone))
        ambiguous.note(Entries(*(column[is_ambiguous] for column in remaining)))
        return remaining

    rewrite(cursor, StagedUploads(cursor), merge, write=write)
    return ambiguous


def _others(alias: str, cursor: Any, locale: str, ambiguous: AmbiguousDays) -> list[Upload]:
    """Return the merged uploads of the ambiguous entries' uploaders that are not in the baseline."""
    cursor.execute("SELECT sender FROM uploader WHERE id = ANY (%s)", [ambiguous.uploaders().tolist()])
    senders = [row[0] for row in cursor.fetchall()]
    uploads = list(Upload.objects.filter(locale=locale, sender__in=senders).exclude(document_name=""))
    merged = ledger.uploads(alias, [upload.id for upload in uploads])
    in_baseline = baseline_tables.held(cursor, [bytes(upload.content_hash) for upload in uploads])
    return [upload for upload in uploads if upload.id in merged and bytes(upload.content_hash) not in in_baseline]


def _mend_days(cursor: Any, ambiguous: AmbiguousDays) -> None:
    """Give entries the days of the remaining uploads, if all of these have been read or are in the baseline."""
    ambiguous.read_baseline()

    def merge(known: Entries, remaining: Entries, *_: Any) -> Entries:
        return sightings.with_days_of(known, sightings.add(sightings.unite(remaining), ambiguous.in_baseline()))

    rewrite(cursor, StagedUploads(cursor), merge)
