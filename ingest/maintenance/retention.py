"""Delete documents from the archive when they are so old as the site keeps them; what is merged of them stays.

Each upload takes three steps, so that a later run finishes whatever dies in between:

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
from django.db import connections, transaction
from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Now
from django.utils import timezone

from core import locales
from ingest.batch.columns import Unreadable
from ingest.intake import spool
from ingest.maintenance import baseline, rebuild, rebuild_tables
from ingest.merge.fold import already_merged
from ingest.models import Upload

logger = logging.getLogger(__name__)

#: Uploads, and XML of theirs, that expire together: one addition to `base`, some seconds for which folds wait.
STEP_UPLOADS = 2_000
STEP_BYTES = 32 << 20
#: When the store fails for so many documents of a step, it is the store that is away, and the step is left for later.
STORE_FAULTS = 3
#: Documents that can't be deleted are named in the log up to so many at once.
_TOLD = 10
#: More days than that are without limit; datetime knows no others.
_MAX_DAYS = 365 * 100

Report = Callable[[int], None]


class RebuildBegun(Exception):
    """A rebuild of this locale is at work, or was interrupted: it needs the documents that were there then."""


class Extent(NamedTuple):
    """How many uploads, and how much XML; their documents take about a sixth of that."""

    uploads: int
    size_bytes: int


def cutoff() -> datetime | None:
    """Return before when uploads must have come for their documents to expire; None: they are kept without limit."""
    if not 0 < settings.ARCHIVE_DAYS <= _MAX_DAYS:
        return None
    return timezone.now() - timedelta(days=settings.ARCHIVE_DAYS)


def due(locale: str, before: datetime) -> QuerySet[Upload]:
    """Return the uploads whose documents expire: so long ago received, and merged, or so long rejected or withdrawn."""
    settled = (
        Q(status=Upload.Status.MERGED)
        | Q(status=Upload.Status.REJECTED, rejected_at__lt=before)
        | Q(status=Upload.Status.WITHDRAWN, withdrawn_at__lt=before)
    )
    old = Upload.objects.filter(locale=locale, received_at__lt=before, archived=True, expired_at__isnull=True)
    return old.filter(settled).exclude(document_name="")


def begun(locale: str) -> QuerySet[Upload]:
    """Return the uploads that are expiring: begun, and not finished yet."""
    return Upload.objects.filter(locale=locale, expired_at__isnull=False, document_name__gt="")


def extent(uploads: QuerySet[Upload]) -> Extent:
    """Return how much uploads are together."""
    found: dict[str, Any] = uploads.order_by().aggregate(size_bytes=Sum("size_bytes"))
    return Extent(uploads.count(), found["size_bytes"] or 0)


def lost(locale: str) -> int:
    """Return how many uploads whose documents are deleted are not in the locale's tables: an older backup came back."""
    deleted = Upload.objects.filter(
        locale=locale, status=Upload.Status.MERGED, expired_at__isnull=False, document_name=""
    ).count()
    return max(deleted - baseline.count(locales.alias(locale)), 0)


def expire(locale: str, before: datetime, *, stop_at: float | None = None, report: Report | None = None) -> int:
    """Let documents of a locale expire, the oldest first; returns how many were deleted.

    Not many more after `stop_at` (by `time.monotonic`). `report` is told how many are done. Raises `RebuildBegun`.
    """
    try:
        with rebuild.only_one(locale):
            if rebuild_tables.exists(locales.alias(locale)):
                raise RebuildBegun
            return _expire(locale, before, stop_at, report or (lambda done: None))
    except rebuild.AlreadyRunning:
        raise RebuildBegun from None


def _expire(locale: str, before: datetime, stop_at: float | None, report: Report) -> int:
    done = 0
    # What can't be finished now is given back its document, and comes again in a later round.
    left = list(begun(locale).order_by("id").values_list("id", flat=True))
    for start in range(0, len(left), STEP_UPLOADS):
        done += _finish(locale, left[start : start + STEP_UPLOADS])
        report(done)
    after: tuple[datetime, UUID] | None = None
    while stop_at is None or monotonic() < stop_at:
        waiting = due(locale, before).order_by("received_at", "id")
        if after:
            waiting = waiting.filter(
                Q(received_at=after[0], id__gt=after[1]) | Q(received_at__gt=after[0]), received_at__gte=after[0]
            )
        step = list(waiting.values_list("received_at", "id", "size_bytes")[:STEP_UPLOADS])
        if not step:
            break
        sizes = accumulate(size for _, _, size in step)
        step = [row for no, (row, size) in enumerate(zip(step, sizes, strict=True)) if no == 0 or size <= STEP_BYTES]
        after = step[-1][:2]
        done += _finish(locale, _mark(due(locale, before), [upload for _, upload, _ in step]))
        report(done)
    return done


def _mark(possible: QuerySet[Upload], uploads: Sequence[UUID]) -> list[UUID]:
    """Note down that uploads expire; returns which. Those that somebody is just changing come in a later round."""
    with transaction.atomic():
        free = possible.filter(id__in=uploads).select_for_update(skip_locked=True)
        ids = list(free.values_list("id", flat=True))
        Upload.objects.filter(id__in=ids).update(expired_at=Now())
    return ids


def _finish(locale: str, ids: Sequence[UUID]) -> int:
    """Delete the documents of uploads that are marked, once `base` holds what is merged of them; returns how many."""
    alias = locales.alias(locale)
    uploads = list(Upload.objects.filter(id__in=ids, expired_at__isnull=False, document_name__gt="").order_by("id"))
    contents = [bytes(upload.content_hash) for upload in uploads]
    live = already_merged(alias, contents)
    with connections[alias].cursor() as cursor:
        carried = baseline.held(cursor, contents)
    kept: dict[UUID, str] = {}
    wanted = []
    for upload in uploads:
        content = bytes(upload.content_hash)
        if upload.status == Upload.Status.MERGED and content not in carried:
            if content in live:
                wanted.append(upload)
            else:
                kept[upload.id] = "it is not in the locale's tables; `requeue` merges it again"
        elif upload.status == Upload.Status.WITHDRAWN and content in live:
            kept[upload.id] = "it is still to be subtracted"

    faults: list[OSError] = []

    def give_up(upload: Upload, fault: Unreadable) -> None:
        kept[upload.id] = str(fault)
        if isinstance(fault.__cause__, OSError):
            faults.append(fault.__cause__)
            if len(faults) == STORE_FAULTS:
                raise fault.__cause__

    if wanted:
        baseline.carry_over(alias, wanted, give_up)
    return _delete([upload for upload in uploads if upload.id not in kept], kept)


def _delete(uploads: Sequence[Upload], kept: dict[UUID, str]) -> int:
    """Delete documents; those that are to be kept for now, with why, are given back to whoever wants them."""
    if kept:
        Upload.objects.filter(id__in=list(kept)).update(expired_at=None)
    failed = spool.drop_from_archive([upload.document_name for upload in uploads])
    deleted = [upload.id for upload in uploads if upload.document_name not in failed]
    Upload.objects.filter(id__in=deleted, expired_at__isnull=False).update(document_name="")
    why = kept | {upload.id: str(failed[upload.document_name]) for upload in uploads if upload.document_name in failed}
    for upload_id, reason in list(why.items())[:_TOLD]:
        logger.error("The document of upload %s could not expire (%s); a later round tries again.", upload_id, reason)
    if len(why) > _TOLD:
        logger.error("%d more documents could not expire.", len(why) - _TOLD)
    return len(deleted)
