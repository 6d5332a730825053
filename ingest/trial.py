"""Try uploads that may be what makes work fail: read, stage and merge a group of them apart from the hot tables.

All of it in one transaction under the fold lock: either the whole group is merged, or nothing has happened but
that its step was counted (`ingest.suspects`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from uuid import UUID

from django.db import connections, transaction

from ingest import archived, hot, suspects
from ingest.fold import Merged, already_merged, fold_from
from ingest.models import LocaleControl, Upload
from ingest.parse import Unreadable
from ingest.sql import load
from ingest.stage import stage_into
from ingest.suspects import Group
from ingest.work import finish, postpone, read, reject
from maps import locales

logger = logging.getLogger(__name__)

#: Temporary tables of this session, in the shape of the hot ones.
_STAGED = "pg_temp"


def try_some(locale: str, claim_name: str) -> int:
    """Try the next group of a locale; returns how many uploads were tried (0: nothing to do, or a fold is at work)."""
    if not suspects.waiting(locale) or LocaleControl.objects.filter(locale=locale, work_paused=True).exists():
        return 0
    alias = locales.alias(locale)
    merged: dict[UUID, Merged] = {}
    failure: BaseException | None = None
    with hot.folding(alias) as mine:
        if not mine:
            return 0
        group = suspects.claim(locale, claim_name)
        uploads = list(Upload.objects.filter(id__in=group.uploads).order_by("received_at", "id"))
        try:
            merged = _try(alias, uploads, group)
        except suspects.FAULTS as error:
            logger.exception("%d uploads of %s could not be merged apart from the others.", len(uploads), locale)
            failure = error
    if failure:
        _failed(group, uploads, failure)
    finish(merged)
    return len(uploads)


def _try(alias: str, uploads: list[Upload], group: Group) -> dict[UUID, Merged]:
    """Merge a group; returns what the ledger says of its uploads, whoever merged them."""
    if group.step >= suspects.SET_ASIDE:
        for upload in uploads:
            reject(upload, f"No worker survived merging it. {upload.reason}".strip())
        return {}
    known = already_merged(alias, [bytes(upload.content_hash) for upload in uploads])
    told = {upload.id: known.get(bytes(upload.content_hash)) for upload in uploads}
    merged = {upload: entry for upload, entry in told.items() if entry}
    return merged | _merge(alias, [upload for upload in uploads if upload.id not in merged], group)


def _merge(alias: str, uploads: list[Upload], group: Group) -> dict[UUID, Merged]:
    def give_up(upload: Upload, fault: Unreadable) -> None:
        if isinstance(fault, archived.Unreachable):
            suspects.absolve(Group([upload.id], group.step))
            postpone([upload], str(fault))
        else:
            reject(upload, str(fault))

    members, interned = read(alias, uploads, archived.document, give_up)
    if interned is None:
        return {}

    def merge() -> dict[UUID, Merged]:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            hot.use_ram_for_temporary(alias, cursor)
            cursor.execute(load("staging_tables.sql"))
            stage_into(cursor, _STAGED, members, interned)
            merged = fold_from(cursor, staged=_STAGED, into="public")
            cursor.execute(load("drop_staging_tables.sql"))
            return merged

    return hot.with_whole_tables(alias, merge)


def _failed(group: Group, uploads: Sequence[Upload], error: BaseException) -> None:
    """Note down why a group failed; an upload that keeps failing alone is set aside."""
    reason = suspects.told(error)
    if not suspects.is_content(error):
        suspects.absolve(group)
        postpone(uploads, reason)
    elif len(uploads) == 1 and suspects.next_step(group.step, 1) >= suspects.SET_ASIDE:
        reject(uploads[0], f"It could not be merged. {reason}")
    else:
        suspects.let_go(group, reason)
