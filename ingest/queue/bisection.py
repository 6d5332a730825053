"""Try uploads that may be what makes work fail: read, stage and merge a group of them apart from the hot tables.

All of it in one transaction under the fold lock: either the whole group is merged, or nothing has happened but
that its step was counted (`ingest.queue.quarantine`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connections, transaction

from core import locales
from ingest.batch.columns import Unreadable
from ingest.batch.stage import stage_into
from ingest.maintenance import reread
from ingest.merge import hot_tables
from ingest.merge.fold import Merged, already_merged, fold_from
from ingest.merge.sql import load
from ingest.models import LocaleControl, Upload
from ingest.queue import quarantine
from ingest.queue.quarantine import Group
from ingest.queue.worker import finish, postpone, read, reject

logger = logging.getLogger(__name__)

#: Temporary tables of this session, in the shape of the hot ones.
_STAGED = "pg_temp"


class Tried(NamedTuple):
    """What the ledger says of the uploads of a group, whoever merged them, and those that could not be read."""

    merged: dict[UUID, Merged]
    unread: list[tuple[Upload, Unreadable]]


def try_some(locale: str, claim_name: str) -> int:
    """Try the next group of a locale; returns how many uploads were tried (0: nothing to do, or a fold is at work)."""
    if not quarantine.waiting(locale) or LocaleControl.objects.filter(locale=locale, work_paused=True).exists():
        return 0
    alias = locales.alias(locale)
    tried = Tried({}, [])
    failure: BaseException | None = None
    with hot_tables.folding(alias) as mine:
        if not mine:
            return 0
        group = quarantine.claim(locale, claim_name)
        uploads = list(Upload.objects.filter(id__in=group.uploads).order_by("received_at", "id"))
        try:
            if group.step < quarantine.SET_ASIDE:
                tried = _try(alias, uploads)
        except quarantine.FAULTS as error:
            logger.exception("%d uploads of %s could not be merged apart from the others.", len(uploads), locale)
            failure = error
    # Rows are changed after the lock is given back: a withdrawal holds rows while it waits for it.
    if group.step >= quarantine.SET_ASIDE:
        for upload in uploads:
            reject(upload, f"No worker survived merging it. {upload.reason}".strip())
    if failure:
        _failed(group, uploads, failure)
    finish(tried.merged)
    for upload, fault in tried.unread:
        _could_not_be_read(group, upload, fault)
    return len(uploads)


def _try(alias: str, uploads: list[Upload]) -> Tried:
    """Merge a group in one transaction."""
    known = already_merged(alias, [bytes(upload.content_hash) for upload in uploads])
    told = {upload.id: known.get(bytes(upload.content_hash)) for upload in uploads}
    merged = {upload: entry for upload, entry in told.items() if entry}
    unread: list[tuple[Upload, Unreadable]] = []
    members, interned = read(
        alias,
        [upload for upload in uploads if upload.id not in merged],
        reread.document,
        lambda upload, fault: unread.append((upload, fault)),
    )
    if interned is None:
        return Tried(merged, unread)

    def merge() -> dict[UUID, Merged]:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            hot_tables.use_ram_for_temporary(alias, cursor)
            cursor.execute(load("staging_tables.sql"))
            stage_into(cursor, _STAGED, members, interned)
            merged = fold_from(cursor, staged=_STAGED, into="public")
            cursor.execute(load("drop_staging_tables.sql"))
            return merged

    return Tried(merged | hot_tables.with_whole_tables(alias, merge), unread)


def _could_not_be_read(group: Group, upload: Upload, fault: Unreadable) -> None:
    if isinstance(fault, reread.Unreachable):
        quarantine.absolve(Group([upload.id], group.step))
        postpone([upload], str(fault))
    else:
        reject(upload, str(fault))


def _failed(group: Group, uploads: Sequence[Upload], error: BaseException) -> None:
    """Note down why a group failed; an upload that keeps failing alone is set aside."""
    reason = quarantine.told(error)
    if not quarantine.is_content(error):
        quarantine.absolve(group)
        postpone(uploads, reason)
    elif len(uploads) == 1 and quarantine.next_step(group.step, 1) >= quarantine.SET_ASIDE:
        reject(uploads[0], f"It could not be merged. {reason}")
    else:
        quarantine.let_go(group, reason)
