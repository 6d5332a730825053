"""Merge a quarantined group apart from the hot tables: either the whole group is merged, or nothing of it.

One transaction under the fold lock. Only its step was counted before (`ingest.queue.quarantine`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connections, transaction

from core import locales, locks
from core.locks import Lock
from ingest import lifecycle
from ingest.batch.observations import Unreadable
from ingest.batch.read import Unavailable, read
from ingest.batch.stage import stage_into
from ingest.lifecycle import Merged
from ingest.merge import hot_tables, ledger
from ingest.merge.fold import fold_from
from ingest.models import LocaleControl, Upload
from ingest.queue import outcomes, quarantine
from ingest.queue.quarantine import Group

logger = logging.getLogger(__name__)


class Tried(NamedTuple):
    """The ledger's entries of a group's uploads, whoever merged them, and the uploads that could not be read."""

    merged: dict[UUID, Merged]
    unread: list[tuple[Upload, Unreadable]]


def merge_next_group(locale: str, claim_name: str) -> int:
    """Merge the next group of a locale; return how many uploads were tried (0: none waits, or a fold is at work)."""
    waiting = lifecycle.quarantined(locale).exists()
    if not waiting or LocaleControl.objects.filter(locale=locale, work_paused=True).exists():
        return 0
    alias = locales.alias(locale)
    tried = Tried({}, [])
    failure: BaseException | None = None
    with locks.held_if_free(alias, Lock.FOLD) as mine:
        if not mine:
            return 0
        group = quarantine.claim(locale, claim_name)
        uploads = list(Upload.objects.filter(id__in=group.uploads).order_by("received_at", "id"))
        try:
            if group.step < quarantine.GIVEN_UP:
                tried = _merge(alias, uploads)
        except quarantine.ANY_ERROR as error:
            logger.exception("%d uploads of %s could not be merged apart from the others.", len(uploads), locale)
            failure = error
    # Rows change after the lock is released: a withdrawal holds rows while it waits for the lock.
    if group.step >= quarantine.GIVEN_UP:
        for upload in uploads:
            outcomes.reject(upload, f"No worker survived merging it. {upload.reason}".strip())
    if failure:
        _failed(group, uploads, failure)
    outcomes.record_merged(tried.merged)
    for upload, fault in tried.unread:
        _unread(group, upload, fault)
    return len(uploads)


def _merge(alias: str, uploads: list[Upload]) -> Tried:
    """Merge a group in one transaction."""
    known = ledger.find(alias, [bytes(upload.content_hash) for upload in uploads])
    entries = {upload.id: known.get(bytes(upload.content_hash)) for upload in uploads}
    merged = {upload: entry for upload, entry in entries.items() if entry}
    unread: list[tuple[Upload, Unreadable]] = []
    members, interned = read(
        alias,
        [upload for upload in uploads if upload.id not in merged],
        lambda upload, fault: unread.append((upload, fault)),
        skip_unavailable=True,
    )
    if interned is None:
        return Tried(merged, unread)

    def merge() -> dict[UUID, Merged]:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            hot_tables.use_ram_for_temporary(alias, cursor)
            hot_tables.create_temporary(cursor)
            stage_into(cursor, hot_tables.TEMPORARY, members, interned)
            merged = fold_from(cursor, staged=hot_tables.TEMPORARY, into="public")
            hot_tables.drop_temporary(cursor)
            return merged

    return Tried(merged | hot_tables.with_whole_tables(alias, merge), unread)


def _unread(group: Group, upload: Upload, fault: Unreadable) -> None:
    """Reject an upload that can't be read, or try it later if its document is unavailable."""
    if isinstance(fault, Unavailable):
        quarantine.not_its_fault(Group([upload.id], group.step))
        lifecycle.postpone([upload], str(fault))
    else:
        outcomes.reject(upload, str(fault))


def _failed(group: Group, uploads: Sequence[Upload], error: BaseException) -> None:
    """Decide what comes after a group failed: a later try, smaller groups, or the rejection of a single upload."""
    why = quarantine.reason(error)
    if not quarantine.is_content(error):
        quarantine.not_its_fault(group)
        lifecycle.postpone(uploads, why)
    elif len(uploads) == 1 and quarantine.next_step(group.step, 1) >= quarantine.GIVEN_UP:
        outcomes.reject(uploads[0], f"It could not be merged. {why}")
    else:
        quarantine.split(group, why)
