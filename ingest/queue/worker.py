"""Work off a locale's queue: claim a batch, read it, stage it; merge what is staged, tell the receipts, archive.

Every step may be the last one before a power cut. What is claimed and not staged is claimed again
(by the same wake-up, or after the lease); what was staged and is gone goes back to the queue; what is
merged and not yet told is found in the ledger.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, connections, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from core import locales
from ingest.batch.columns import Document, Unreadable, parse
from ingest.batch.intern import Interned, intern
from ingest.batch.stage import Member, stage
from ingest.intake import spool
from ingest.merge import hot_tables
from ingest.merge.fold import Merged, already_merged, fold
from ingest.models import LocaleControl, Requeued, Upload
from ingest.queue import quarantine
from ingest.queue.quarantine import MAX_BACKOFF
from ingest.queue.sql import load

logger = logging.getLogger(__name__)

#: After so many attempts an upload is tried apart from the others: one of a batch may have killed the worker.
APART_AFTER = 3
#: From one fold of a locale to the next: when its queue is empty, and while more is waiting.
FOLD_GAP_QUIET = timedelta(seconds=0.5)
FOLD_GAP_LOADED = timedelta(seconds=30)
#: Under load a fold waits ten times as long as the last one took: a fold's cost grows with what is merged
#: already, and its share of the time must not.
FOLD_SHARE = 10
#: The share of its budget at which a locale is folded at the latest: to fold takes another worker about a third of the
#: time that to read and stage as much takes, so that the rest is enough until there is room again.
FULL_SHARE = 0.75
#: A staged upload is looked for in the hot tables after this time, so many at once.
STAGED_GRACE = timedelta(seconds=5)
RECOVER_AT_ONCE = 5_000
#: Documents that can't be archived are named in the log up to so many at once.
FAILURES_TOLD = 10
#: What the work on an upload looks at.
_NEEDED = ["locale", "content_hash", "version", "sender", "received_at", "document_name", "archived", "attempts"]
_EPOCH = date(1970, 1, 1)
#: What a database or a store raises that is not as expected: logged, and tried again later.
FAILURES = (*hot_tables.ERRORS, OSError)
#: What receipts say meanwhile of uploads that could not be folded together.
CAN_T_BE_FOLDED = "Merging it together with others failed several times. It is tried apart from them."


def work(locale: str, claim_name: str) -> int:
    """Claim and stage one batch of a locale; returns how many uploads were claimed (0: nothing to do).

    `claim_name` is the wake-up's id: delivered again after a crash, it gets its own claims back.
    """
    alias = locales.alias(locale)
    if LocaleControl.objects.filter(locale=locale, work_paused=True).exists():
        return 0
    uploads = claim(locale, claim_name)
    if not uploads:
        return 0
    batch = uploads
    try:
        merged = already_merged(alias, [bytes(upload.content_hash) for upload in uploads])
        batch = [upload for upload in uploads if bytes(upload.content_hash) not in merged]
        told = ((upload.id, merged.get(bytes(upload.content_hash))) for upload in uploads)
        finish({upload_id: entry for upload_id, entry in told if entry})
        if batch:
            _stage(alias, batch)
    except quarantine.FAULTS as error:
        logger.exception("%d uploads of %s could not be staged; they wait for another try.", len(batch), locale)
        if quarantine.is_content(error):
            quarantine.hold_apart([upload.id for upload in batch], quarantine.told(error))
        else:
            postpone(batch, quarantine.told(error))
    return len(uploads)


def others_stage(locale: str, claim_name: str) -> bool:
    """Tell whether uploads of a locale are claimed for other wake-ups than this one."""
    # As in claim.sql: by the database's clock, and a time further off than any can be counts for nothing.
    leased = Upload.objects.filter(
        locale=locale,
        status=Upload.Status.QUEUED,
        lease_until__gt=Now(),
        lease_until__lte=Now() + 2 * settings.CLAIM_LEASE,
    )
    return leased.exclude(claimed_by=claim_name).exists()


def has_room(locale: str) -> bool:
    """Tell whether more may be staged. At the budget uploads stay in the spool until a fold has made room."""
    return hot_tables.size_bytes(locales.alias(locale)) < _budget_bytes()


def _budget_bytes() -> int:
    """Return how much the hot tables of one locale may hold."""
    return int(settings.HOT_BUDGET_BYTES) // len(locales.hosted())


def merge_is_due(locale: str, *, drained: bool) -> bool:
    """Tell whether to fold now: soon when the queue is empty, so that dots appear; seldom and large under load."""
    alias = locales.alias(locale)
    if hot_tables.size_bytes(alias) >= _budget_bytes() * FULL_SHARE:
        return True
    since_fold, took = _last_fold(alias)
    gap = FOLD_GAP_QUIET if drained else max(FOLD_GAP_LOADED, FOLD_SHARE * took)
    # A moment to come: the clock was set back since.
    return not timedelta(0) <= since_fold < gap


def next_merge_s(locale: str) -> float | None:
    """Return in how many seconds to look again for a fold of a locale whose queue is empty; None: nothing is staged."""
    if not Upload.objects.filter(locale=locale, status=Upload.Status.STAGED).exists():
        return None
    left = FOLD_GAP_QUIET - _last_fold(locales.alias(locale))[0]
    # Due already, and somebody else is folding: ask again a little later.
    return (left if timedelta(0) < left < FOLD_GAP_QUIET else FOLD_GAP_QUIET).total_seconds()


def _last_fold(alias: str) -> tuple[timedelta, timedelta]:
    """Return how long ago the last fold was, and how long it took."""
    with connections[alias].cursor() as cursor:
        cursor.execute("SELECT clock_timestamp() - folded_at, took FROM hot_state")
        since_fold, took = cursor.fetchone()
    return since_fold, took


def merge(locale: str) -> int:
    """Fold what is staged, tell the receipts and archive the documents; returns how many uploads.

    What can't be folded, time and again, is queued to be tried apart from the rest (`ingest.queue.quarantine`).
    """
    alias = locales.alias(locale)
    try:
        merged = fold(alias, partial(quarantine.hold_apart, reason=CAN_T_BE_FOLDED))
    except quarantine.FAULTS as error:
        if not quarantine.is_content(error):
            hot_tables.forget_try(alias)
        raise
    finish(merged)
    return len(merged)


def recover(locale: str) -> int:
    """Send uploads back to the queue that were staged in hot tables which are gone; returns how many.

    A crash of PostgreSQL empties the hot tables, a lost RAM disk breaks them: the spool still has all of it.
    """
    alias = locales.alias(locale)
    uploads = list(
        Upload.objects.filter(
            # A moment to come: the clock was set back since.
            Q(staged_at__lt=Now() - STAGED_GRACE) | Q(staged_at__gt=Now()),
            locale=locale,
            status=Upload.Status.STAGED,
        ).order_by("staged_at")[:RECOVER_AT_ONCE]
    )
    if not uploads:
        return 0
    # The hot tables before the ledger: what a fold moves in between is found in one of them.
    held = hot_tables.staged(alias, [upload.id for upload in uploads])
    gone = [upload for upload in uploads if upload.id not in held]
    merged = already_merged(alias, [bytes(upload.content_hash) for upload in gone])
    finish({upload.id: merged[bytes(upload.content_hash)] for upload in gone if bytes(upload.content_hash) in merged})
    lost = [upload.id for upload in gone if bytes(upload.content_hash) not in merged]
    # Compare and set: whatever else became of an upload meanwhile stands.
    back = Upload.objects.filter(id__in=lost, status=Upload.Status.STAGED).update(
        status=Upload.Status.QUEUED, staged_at=None, claimed_by="", lease_until=None
    )
    if back:
        logger.warning("%d staged uploads of %s were lost with the hot tables and are queued again.", back, locale)
    return back


def claim(locale: str, claim_name: str) -> list[Upload]:
    """Claim the longest waiting uploads of a locale, as many as make a batch."""
    parameters: dict[str, Any] = {
        "locale": locale,
        "claim": claim_name,
        "lease": settings.CLAIM_LEASE,
        "max_backoff": MAX_BACKOFF,
        "max_uploads": settings.BATCH_MAX_UPLOADS,
        "max_bytes": settings.BATCH_MAX_BYTES,
        "apart_after": APART_AFTER,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        # What waits lies together in its own index. For a disk's arm the planner would rather walk all uploads by
        # their age, those that are done with, too, and each claim of a long queue would take longer than the last.
        cursor.execute("SET LOCAL random_page_cost = 1.1")
        cursor.execute(load("claim.sql"), parameters)
        ids = [row[0] for row in cursor.fetchall()]
    return list(Upload.objects.filter(id__in=ids).only(*_NEEDED).order_by("received_at", "id"))


def _stage(alias: str, batch: list[Upload]) -> None:
    """Read and stage a batch; uploads that prove unreadable are rejected and the others go on."""
    members, interned = read(alias, batch, document, lambda upload, fault: reject(upload, str(fault)))
    if interned is None:
        return
    stage(alias, members, interned)
    # Compare and set: a fold may have been faster and told the receipts already.
    Upload.objects.filter(id__in=[member.upload for member in members], status=Upload.Status.QUEUED).update(
        status=Upload.Status.STAGED, staged_at=Now(), lease_until=None, retry_at=None, reason="", quarantine_step=0
    )


def read(
    alias: str,
    batch: list[Upload],
    document_of: Callable[[int, Upload], Document],
    give_up: Callable[[Upload, Unreadable], None],
) -> tuple[list[Member], Interned | None]:
    """Read a batch into what can be staged; uploads that prove unreadable leave it, and `give_up` is told why.

    None where nothing is left of the batch.
    """
    while batch:
        try:
            observations = parse(document_of(no, upload) for no, upload in enumerate(batch))
        except Unreadable as fault:
            give_up(batch.pop(fault.no), fault)
            continue
        members = [
            Member(no, upload.id, bytes(upload.content_hash), upload.sender, _day(upload.received_at))
            for no, upload in enumerate(batch)
        ]
        return members, intern(alias, observations, [member.sender for member in members])
    return [], None


def document(no: int, upload: Upload) -> Document:
    """Return an upload as the reader takes it, from wherever its row says that it lies."""
    read = partial(spool.opened_wherever, upload.document_name, archived=upload.archived)
    return Document(no, upload.version, _day(upload.received_at), read)


def _day(moment: datetime) -> int:
    """Return a moment's day in UTC, counted from 1970-01-01."""
    return (moment.astimezone(UTC).date() - _EPOCH).days


def finish(merged: Mapping[UUID, Merged]) -> None:
    """Tell the receipts of merged uploads and archive their documents."""
    if not merged:
        return
    parameters: dict[str, Any] = {
        "uploads": list(merged),
        "merged_at": [entry.merged_at for entry in merged.values()],
        "contribution": [json.dumps(entry.contribution) for entry in merged.values()],
    }
    with connection.cursor() as cursor:
        cursor.execute(load("tell_receipts.sql"), parameters)
    archive(Upload.objects.filter(id__in=list(merged), archived=False))


def reject(upload: Upload, reason: str) -> None:
    # Compare and set: a claim that ran out may have been merged by another worker meanwhile.
    changed = Upload.objects.filter(id=upload.id, status=Upload.Status.QUEUED).update(
        status=Upload.Status.REJECTED, rejected_at=timezone.now(), reason=reason, lease_until=None
    )
    if changed:
        logger.error("Upload %s was rejected: %s", upload.id, reason)
        archive(Upload.objects.filter(id=upload.id, archived=False))


def postpone(batch: Sequence[Upload], reason: str) -> None:
    for upload in batch:
        wait = min(timedelta(seconds=2 ** min(upload.attempts, 12)), MAX_BACKOFF)
        Upload.objects.filter(id=upload.id, status=Upload.Status.QUEUED).update(
            reason=reason, lease_until=None, retry_at=Now() + wait
        )


def archive(uploads: QuerySet[Upload]) -> None:
    """Move the documents of uploads to the archive; what fails now is tried again by `tidy`."""
    documents = dict(uploads.values_list("document_name", "id"))
    failed = spool.move_to_archive(documents)
    for name, error in list(failed.items())[:FAILURES_TOLD]:
        logger.error(
            "The document of upload %s could not be archived (%s: %s); the hourly round tries again.",
            documents[name],
            type(error).__name__,
            error,
        )
    if len(failed) > FAILURES_TOLD:
        logger.error("%d more documents could not be archived.", len(failed) - FAILURES_TOLD)
    moved = [upload for name, upload in documents.items() if name not in failed]
    Upload.objects.filter(id__in=moved).update(archived=True)


def locales_with_work() -> list[str]:
    """Return the hosted locales with uploads that nobody has claimed, that wait for a fold, or that are requeued."""
    # As in claim.sql: by the database's clock, and a time further off than any can be counts for nothing.
    free = (
        Upload.objects.filter(status=Upload.Status.QUEUED)
        .exclude(lease_until__gt=Now(), lease_until__lte=Now() + 2 * settings.CLAIM_LEASE)
        .exclude(retry_at__gt=Now(), retry_at__lte=Now() + 2 * MAX_BACKOFF)
    )
    staged = Upload.objects.filter(status=Upload.Status.STAGED)
    waiting = {*free.values_list("locale", flat=True).distinct(), *staged.values_list("locale", flat=True).distinct()}
    # Asked locale by locale: each answer is one step into the key, however many millions there are.
    return [
        locale for locale in locales.hosted() if locale in waiting or Requeued.objects.filter(locale=locale).exists()
    ]
