"""Retention: delete documents from the archive that are older than the site keeps them. Their counts stay.

Each upload takes three steps, so that a later run finishes what a crash left:

1. `expired_at` is set. From then on nobody withdraws, restores or requeues the upload.
2. Its counts are added to the baseline (`ingest.maintenance.baseline`), whose ledger remembers the upload.
3. The document is deleted, then its name in the row.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import accumulate
from time import monotonic
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connections
from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from core import locales, locks
from core.database import FAILURES
from core.locks import Lock
from ingest import lifecycle
from ingest.batch.observations import Unreadable
from ingest.intake import spool
from ingest.maintenance import baseline, baseline_tables, rebuild_tables
from ingest.merge import ledger
from ingest.models import Upload

logger = logging.getLogger(__name__)

#: A run lasts so long at most: a worker's process has nothing else to do meanwhile.
RUN_S = 300.0
#: Uploads, and bytes of their XML, that expire together: one addition to the baseline, for which folds wait seconds.
STEP_UPLOADS = 2_000
STEP_BYTES = 32 << 20
#: If the store fails for so many documents of a step, the store is unavailable, and the step is left for a later run.
STORE_FAULTS = 3
#: At most so many documents that can't be deleted are named in the log.
MOST_NAMED = 10
#: More days than this mean no limit; datetime knows no others.
_MAX_DAYS = 365 * 100

Report = Callable[[int], None]


class RebuildInProgress(Exception):
    """A rebuild of this locale is running or was interrupted. It needs the documents that were there when it began."""


class Extent(NamedTuple):
    """Number of uploads, and bytes of their XML; stored documents take about a sixth of that."""

    uploads: int
    size_bytes: int


def run() -> None:
    """Delete expired documents of all locales, for some minutes; the next run goes on."""
    before = cutoff()
    if before is None:
        return
    stop_at = monotonic() + RUN_S
    for locale in locales.hosted():
        try:
            deleted = expire(locale, before, stop_at=stop_at)
        except RebuildInProgress:
            logger.warning("No document of %s expires until its rebuild is finished or discarded.", locale)
        except FAILURES:
            logger.exception("Documents of %s could not expire; the next run tries again.", locale)
        else:
            if deleted:
                logger.info("%d documents of %s were deleted from the archive.", deleted, locale)


def cutoff() -> datetime | None:
    """Return the time before which uploads expire, by when they were received; None: documents are kept for good."""
    if not 0 < settings.ARCHIVE_DAYS <= _MAX_DAYS:
        return None
    return timezone.now() - timedelta(days=settings.ARCHIVE_DAYS)


def due(locale: str, before: datetime) -> QuerySet[Upload]:
    """Return the uploads whose documents expire: received before a time, and by then merged, rejected or withdrawn."""
    done = (
        Q(status=lifecycle.MERGED)
        | Q(status=lifecycle.REJECTED, rejected_at__lt=before)
        | Q(status=lifecycle.WITHDRAWN, withdrawn_at__lt=before)
    )
    old = Upload.objects.filter(locale=locale, received_at__lt=before, archived=True, expired_at__isnull=True)
    return old.filter(done).exclude(document_name="")


def extent(uploads: QuerySet[Upload]) -> Extent:
    """Return how much uploads are together."""
    found: dict[str, Any] = uploads.order_by().aggregate(size_bytes=Sum("size_bytes"))
    return Extent(uploads.count(), found["size_bytes"] or 0)


def lost(locale: str) -> int:
    """Return how many uploads with deleted documents are missing in the locale's tables: an older backup is in use."""
    deleted = Upload.objects.filter(
        locale=locale, status=lifecycle.MERGED, expired_at__isnull=False, document_name=""
    ).count()
    return max(deleted - baseline_tables.count(locales.alias(locale)), 0)


def expire(locale: str, before: datetime, *, stop_at: float | None = None, report: Report | None = None) -> int:
    """Delete the expired documents of a locale, the oldest first; return how many.

    Begins no step after `stop_at` (by `time.monotonic`). `report` is called with the number done. Raises
    `RebuildInProgress`.
    """
    alias = locales.alias(locale)
    with locks.held_if_free(alias, Lock.REBUILD) as mine:
        if not mine or rebuild_tables.exist(alias):
            raise RebuildInProgress
        return _expire(locale, before, stop_at, report or (lambda done: None))


def _expire(locale: str, before: datetime, stop_at: float | None, report: Report) -> int:
    done = 0
    # What an earlier run left. What can't be finished now keeps its document, and comes again in a later run.
    left = list(lifecycle.expiring(locale).order_by("id").values_list("id", flat=True))
    for start in range(0, len(left), STEP_UPLOADS):
        done += _finish(locale, left[start : start + STEP_UPLOADS])
        report(done)
    after: tuple[datetime, UUID] | None = None
    while stop_at is None or monotonic() < stop_at:
        step = _next_step(due(locale, before), after)
        if not step:
            break
        after = step[-1]
        done += _finish(locale, lifecycle.expire(due(locale, before), [upload for _, upload in step]))
        report(done)
    return done


def _next_step(waiting: QuerySet[Upload], after: tuple[datetime, UUID] | None) -> list[tuple[datetime, UUID]]:
    """Return the next uploads that expire together, in the order of `received_at` and id."""
    if after:
        later = Q(received_at=after[0], id__gt=after[1]) | Q(received_at__gt=after[0])
        waiting = waiting.filter(later, received_at__gte=after[0])
    rows = list(waiting.order_by("received_at", "id").values_list("received_at", "id", "size_bytes")[:STEP_UPLOADS])
    sizes = accumulate(size for _, _, size in rows)
    return [row[:2] for no, (row, size) in enumerate(zip(rows, sizes, strict=True)) if no == 0 or size <= STEP_BYTES]


def _finish(locale: str, ids: Sequence[UUID]) -> int:
    """Delete the documents of expired uploads once the baseline holds their counts; return how many."""
    alias = locales.alias(locale)
    uploads = list(lifecycle.expiring(locale).filter(id__in=ids).order_by("id"))
    contents = [bytes(upload.content_hash) for upload in uploads]
    live = ledger.find(alias, contents)
    with connections[alias].cursor() as cursor:
        in_baseline = baseline_tables.held(cursor, contents)
    kept: dict[UUID, str] = {}
    wanted = []
    for upload in uploads:
        content = bytes(upload.content_hash)
        if upload.status == lifecycle.MERGED and content not in in_baseline:
            if content in live:
                wanted.append(upload)
            else:
                kept[upload.id] = "it is not in the locale's tables; `requeue` merges it again"
        elif upload.status == lifecycle.WITHDRAWN and content in live:
            kept[upload.id] = "it is still to be subtracted"

    faults: list[OSError] = []

    def on_unreadable(upload: Upload, fault: Unreadable) -> None:
        kept[upload.id] = str(fault)
        if isinstance(fault.__cause__, OSError):
            faults.append(fault.__cause__)
            if len(faults) == STORE_FAULTS:
                raise fault.__cause__

    if wanted:
        baseline.add(alias, wanted, on_unreadable)
    return _delete([upload for upload in uploads if upload.id not in kept], kept)


def _delete(uploads: Sequence[Upload], kept: dict[UUID, str]) -> int:
    """Delete documents; return how many. `kept` are uploads that keep their documents for now, with the reason."""
    if kept:
        lifecycle.keep_document(kept.keys())
    failed = spool.drop_from_archive([upload.document_name for upload in uploads])
    deleted = [upload.id for upload in uploads if upload.document_name not in failed]
    lifecycle.forget_document(deleted)
    why = kept | {upload.id: str(failed[upload.document_name]) for upload in uploads if upload.document_name in failed}
    for upload_id, reason in list(why.items())[:MOST_NAMED]:
        logger.error("The document of upload %s could not expire (%s); a later run tries again.", upload_id, reason)
    if len(why) > MOST_NAMED:
        logger.error("%d more documents could not expire.", len(why) - MOST_NAMED)
    return len(deleted)
