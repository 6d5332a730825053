"""The steps of a worker: stage the next batch of a locale, fold what is staged, recover what was lost.

1. `stage_batch` claims the longest waiting uploads, reads them and copies them into the hot tables.
2. `fold_staged` merges the hot tables into the permanent ones, then writes the outcome into the rows.
3. `recover` repairs the rows of staged uploads that are no longer in the hot tables.

A worker may die after any statement.

- After the claim, before COPY has committed: the uploads are QUEUED and claimed. RabbitMQ delivers the wake-up again,
  and it gets its claims back; without that, others claim them after the lease. After three such tries they are merged
  apart from the others (`ingest.queue.quarantine`).
- Between COPY and `lifecycle.stage`: a fold merges what is staged, and QUEUED becomes MERGED. If another worker stages
  the uploads again meanwhile, they count once: a fold keeps one copy of a content, and none that the ledger holds.
- Between that and the fold: the uploads are STAGED, and the sweep wakes a worker that folds them. A fold that dies is
  rolled back, and the next fold begins with its set; after three failed folds its uploads are quarantined.
- After the fold's commit, before the rows say MERGED: `recover` (if STAGED) or the next claim (if QUEUED) finds the
  uploads in the ledger and records them as merged.
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

#: How long an upload is STAGED before `recover` looks for it: most are merged by then, and need no look.
STAGED_GRACE = timedelta(seconds=5)
#: Uploads that one call of `recover` looks for.
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
        batch = _record_merged_and_return_rest(alias, uploads)
        if batch:
            _stage(alias, batch)
    except quarantine.ANY_ERROR as error:
        logger.exception("%d uploads of %s could not be staged; they wait for another try.", len(batch), locale)
        if quarantine.is_content(error):
            quarantine.add([upload.id for upload in batch], quarantine.reason(error))
        else:
            lifecycle.postpone(batch, quarantine.reason(error))
    return len(uploads)


def _record_merged_and_return_rest(alias: str, uploads: list[Upload]) -> list[Upload]:
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
    """Record staged uploads as merged that the ledger holds, and queue lost ones again; return how many were lost.

    The first were merged by a worker that died, or is slow, before it wrote the outcome. The others were lost with the
    hot tables (a crash of PostgreSQL empties them, a lost RAM disk breaks them), or their row was locked when their set
    was given back. Every document is still in the spool or the archive.
    """
    alias = locales.alias(locale)
    uploads = list(
        Upload.objects.filter(
            # A time in the future: the clock has been set back since.
            Q(staged_at__lt=Now() - STAGED_GRACE) | Q(staged_at__gt=Now()),
            locale=locale,
            status=lifecycle.STAGED,
        ).order_by("staged_at")[:RECOVER_AT_ONCE]
    )
    if not uploads:
        return 0
    # Hot tables first, ledger second: an upload that a fold moves in between is found in one of them.
    staged = hot_tables.staged(alias, [upload.id for upload in uploads])
    lost = _record_merged_and_return_rest(alias, [upload for upload in uploads if upload.id not in staged])
    back = lifecycle.return_to_queue([upload.id for upload in lost])
    if back:
        logger.warning("%d staged uploads of %s were lost with the hot tables and are queued again.", back, locale)
    return back
