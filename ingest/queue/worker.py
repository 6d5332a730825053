"""The steps of a worker: stage the next batch of a locale, fold what is staged, recover what was lost.

1. `stage_batch` claims the longest waiting uploads, reads them and copies them into the hot tables.
2. `fold_staged` merges the hot tables into the permanent ones, then writes the outcome into the rows.
3. `recover` finds uploads that were staged in hot tables which are gone.

A worker may die after any statement. Uploads that are claimed and not staged are claimed again, by the same wake-up or
after the lease. Uploads that are merged but whose rows do not say so are found in the ledger.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Now

from core import locales
from ingest import lifecycle
from ingest.batch.read import read
from ingest.batch.stage import stage
from ingest.merge import hot_tables, ledger
from ingest.merge.fold import fold
from ingest.models import LocaleControl, Upload
from ingest.queue import outcomes, quarantine

logger = logging.getLogger(__name__)

#: A staged upload is looked for in the hot tables after this time, so many at once.
STAGED_GRACE = timedelta(seconds=5)
RECOVER_AT_ONCE = 5_000
#: What receipts say meanwhile of uploads that could not be folded together.
NOT_FOLDED = "Merging it together with others failed several times. It is merged apart from them."


def stage_batch(locale: str, claim_name: str) -> int:
    """Claim and stage one batch of a locale; return how many uploads were claimed (0: nothing to do).

    `claim_name` is the wake-up's id: delivered again after a crash, it gets its own claims back.
    """
    alias = locales.alias(locale)
    if LocaleControl.objects.filter(locale=locale, work_paused=True).exists():
        return 0
    uploads = lifecycle.claim(locale, claim_name)
    if not uploads:
        return 0
    batch = uploads
    try:
        batch = _without_merged(alias, uploads)
        if batch:
            _stage(alias, batch)
    except quarantine.ANY_ERROR as error:
        logger.exception("%d uploads of %s could not be staged; they wait for another try.", len(batch), locale)
        if quarantine.is_content(error):
            quarantine.add([upload.id for upload in batch], quarantine.reason(error))
        else:
            lifecycle.postpone(batch, quarantine.reason(error))
    return len(uploads)


def _without_merged(alias: str, uploads: list[Upload]) -> list[Upload]:
    """Return the uploads that the ledger does not hold; record the others as merged."""
    merged = ledger.find(alias, [bytes(upload.content_hash) for upload in uploads])
    entries = ((upload.id, merged.get(bytes(upload.content_hash))) for upload in uploads)
    outcomes.record_merged({upload: entry for upload, entry in entries if entry})
    return [upload for upload in uploads if bytes(upload.content_hash) not in merged]


def _stage(alias: str, batch: list[Upload]) -> None:
    """Read and stage a batch. Uploads that can't be read are rejected, and the others go on."""
    members, interned = read(alias, batch, lambda upload, fault: outcomes.reject(upload, str(fault)))
    if interned is not None:
        stage(alias, members, interned)
        lifecycle.stage([member.upload for member in members])


def fold_staged(locale: str) -> int:
    """Fold a set of hot tables and record its uploads as merged; return how many.

    A set that fails time and again is quarantined (`ingest.queue.quarantine`).
    """
    alias = locales.alias(locale)

    def give_back(uploads: Sequence[UUID]) -> None:
        quarantine.add(uploads, NOT_FOLDED)

    try:
        merged = fold(alias, give_back)
    except quarantine.ANY_ERROR as error:
        if not quarantine.is_content(error):
            hot_tables.forget_try(alias)
        raise
    outcomes.record_merged(merged)
    return len(merged)


def recover(locale: str) -> int:
    """Queue uploads again that were staged in hot tables which are gone; return how many.

    A crash of PostgreSQL empties the hot tables, a lost RAM disk breaks them. The spool still has every document.
    """
    alias = locales.alias(locale)
    uploads = list(
        Upload.objects.filter(
            # A time to come: the clock was set back since.
            Q(staged_at__lt=Now() - STAGED_GRACE) | Q(staged_at__gt=Now()),
            locale=locale,
            status=lifecycle.STAGED,
        ).order_by("staged_at")[:RECOVER_AT_ONCE]
    )
    if not uploads:
        return 0
    # Hot tables first, ledger second: an upload that a fold moves in between is found in one of them.
    staged = hot_tables.staged(alias, [upload.id for upload in uploads])
    lost = _without_merged(alias, [upload for upload in uploads if upload.id not in staged])
    back = lifecycle.return_to_queue([upload.id for upload in lost])
    if back:
        logger.warning("%d staged uploads of %s were lost with the hot tables and are queued again.", back, locale)
    return back
