"""Take uploads out of a locale's permanent tables again: the fold, the other way round.

Everything that adds up is subtracted; least and greatest values come from the notes and entries that are kept of
every upload. Only where one uploader saw the same coordinate several times can the days that are left not be told
from the tables: then his other uploads are read once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction

from ingest.batch.columns import Unreadable
from ingest.batch.stage import stage_into
from ingest.maintenance import baseline, reread
from ingest.maintenance.ambiguous_days import Unsure
from ingest.maintenance.sql import load
from ingest.merge import hot_tables, sightings
from ingest.merge.chunks import rewrite
from ingest.merge.habitat_rows import Uploads
from ingest.merge.sightings import Entries
from ingest.merge.sql import load as load_merge
from ingest.models import Upload
from ingest.queue.worker import read

#: Temporary tables of this session, in the shape of the hot ones.
_STAGED = "pg_temp"


def subtract(alias: str, uploads: Sequence[Upload]) -> dict[UUID, str]:
    """Take the counts of uploads away, with their contents from the ledger, in one transaction.

    Their documents are read before that, while folds go on; under the fold lock only what was merged meanwhile.
    Uploads that the ledger does not hold are left out: repeating it does nothing. Returns those that could not
    be taken away because their documents can't be read, with the reason.
    """
    unreadable: dict[UUID, str] = {}

    def take_away() -> None:
        unreadable.clear()
        _take_away(alias, uploads, unreadable)

    hot_tables.with_whole_tables(alias, take_away)
    return unreadable


def _take_away(alias: str, uploads: Sequence[Upload], unreadable: dict[UUID, str]) -> None:
    with connections[alias].cursor() as cursor:
        merged = _merged(cursor, [upload.id for upload in uploads])
        with reread.staging_room(alias, cursor):
            cursor.execute(load("subtract_room.sql"))
            _stage(alias, cursor, [upload for upload in uploads if upload.id in merged], unreadable)
            read_ahead = _read_others_ahead(alias, cursor, uploads) if merged else set()
            with transaction.atomic(using=alias):
                cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [hot_tables.FOLD_LOCK])
                since = _merged(cursor, [upload.id for upload in uploads]) - merged
                _stage(alias, cursor, [upload for upload in uploads if upload.id in since], unreadable)
                if merged or since:
                    _subtract(alias, cursor, uploads[0].locale, read_ahead)


def _merged(cursor: Any, uploads: Sequence[UUID]) -> set[UUID]:
    cursor.execute("SELECT upload FROM ledger WHERE upload = ANY (%s)", [list(uploads)])
    return {row[0] for row in cursor.fetchall()}


def _prepare(alias: str, cursor: Any) -> None:
    """Set this transaction up like a fold's, over the staged tables."""
    cursor.execute("SET LOCAL search_path TO pg_temp, public")
    cursor.execute("SELECT set_config('work_mem', %s, true)", [f"{settings.FOLD_WORK_MEM_MB}MB"])
    # As in a fold: the planner can't know how long packed arrays are.
    cursor.execute("SET LOCAL enable_nestloop = off")
    hot_tables.use_ram_for_temporary(alias, cursor)
    cursor.execute(load_merge("fold_tables.sql"))


def _subtract(alias: str, cursor: Any, locale: str, read_ahead: set[UUID]) -> None:
    """Take away what is staged, under the fold lock."""
    cursor.execute(load("subtract_choose.sql"))
    if cursor.rowcount:
        cursor.execute("SET LOCAL search_path TO pg_temp, public")
        cursor.execute(load_merge("fold_orphans.sql"))
    _prepare(alias, cursor)
    cursor.execute(load("subtract_creatures.sql"))
    unsure = _subtract_positions(cursor, write=True)
    cursor.execute(load("subtract_loot.sql"))
    # Before the names' owners change: where they were shown until now is marked, too.
    cursor.execute(load("subtract_marks.sql"))
    cursor.execute(load_merge("fold_names.sql"))
    cursor.execute(load_merge("fold_marks.sql"))
    cursor.execute(load("subtract_ledger.sql"))
    if unsure:
        # Some were merged since. What can't be read keeps its counts, and its days stay as wide as they were.
        others = _others(cursor, locale, unsure)
        _keep(alias, cursor, [other for other in others if other.id not in read_ahead])
        cursor.execute(load("subtract_left.sql"))
        _mend_days(cursor, unsure)
    cursor.execute(load("subtract_done.sql"))


def _read_others_ahead(alias: str, cursor: Any, uploads: Sequence[Upload]) -> set[UUID]:
    """Read the uploads that the days which are left will be told from, as things stand; returns which."""
    with transaction.atomic(using=alias):
        _prepare(alias, cursor)
        unsure = _subtract_positions(cursor, write=False)
        cursor.execute(load("subtract_done.sql"))
    cursor.execute(load("subtract_wanted.sql"))
    gone = {upload.id for upload in uploads}
    others = [other for other in _others(cursor, uploads[0].locale, unsure) if other.id not in gone]
    _keep(alias, cursor, others)
    return {other.id for other in others}


def _keep(alias: str, cursor: Any, others: Sequence[Upload]) -> None:
    """Read what other uploads have seen where something is subtracted."""
    for batch in reread.batches(others):
        _stage(alias, cursor, batch, {})
        with transaction.atomic(using=alias):
            cursor.execute("SET LOCAL search_path TO pg_temp, public")
            cursor.execute(load("subtract_keep.sql"), {"uploads": [other.id for other in batch]})
            cursor.execute(load_merge("fold_orphans.sql"))


def _stage(alias: str, cursor: Any, uploads: Sequence[Upload], unreadable: dict[UUID, str]) -> None:
    def give_up(upload: Upload, fault: Unreadable) -> None:
        unreadable[upload.id] = str(fault)

    for batch in reread.batches(uploads):
        members, interned = read(alias, batch, reread.document, give_up)
        if interned is not None:
            stage_into(cursor, _STAGED, members, interned)


def _subtract_positions(cursor: Any, *, write: bool) -> Unsure:
    """Take the staged positions out of habitat (or see what would follow, without `write`).

    Returns the entries whose days are unsure.
    """
    unsure = Unsure(cursor)

    def take_away(known: Entries, gone: Entries, *_: Any) -> Entries:
        left, open_days = sightings.take_away(known, sightings.unite(gone))
        unsure.note(Entries(*(column[open_days] for column in left)))
        return left

    rewrite(cursor, Uploads(cursor), take_away, write=write)
    return unsure


def _others(cursor: Any, locale: str, unsure: Unsure) -> list[Upload]:
    """Return the uploads of the unsure entries' uploaders that are merged still, and that `base` does not tell of."""
    cursor.execute("SELECT sender FROM uploader WHERE id = ANY (%s)", [unsure.uploaders().tolist()])
    senders = [row[0] for row in cursor.fetchall()]
    uploads = list(Upload.objects.filter(locale=locale, sender__in=senders).exclude(document_name=""))
    merged = _merged(cursor, [upload.id for upload in uploads])
    carried = baseline.held(cursor, [bytes(upload.content_hash) for upload in uploads])
    return [upload for upload in uploads if upload.id in merged and bytes(upload.content_hash) not in carried]


def _mend_days(cursor: Any, unsure: Unsure) -> None:
    """Give entries the days of the uploads that are left, where all of them have been read or are in `base`."""
    unsure.look_into_base()

    def mend(known: Entries, left: Entries, *_: Any) -> Entries:
        return sightings.with_days_of(known, sightings.add(sightings.unite(left), unsure.in_base()))

    rewrite(cursor, Uploads(cursor), mend)
