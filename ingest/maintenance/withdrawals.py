"""Take withdrawn uploads out of the merged data: their counts, exactly.

A worker may have had an upload in hand when it was withdrawn: it stays pending until its claim has ended or it is
merged all the same. The sweep goes on with what is pending, and `tidy` finds what came later still.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Least, Now

from core import locales
from ingest.maintenance.sql import load
from ingest.maintenance.subtract import subtract
from ingest.maintenance.withdraw import pending
from ingest.merge import hot_tables
from ingest.merge.fold import already_merged
from ingest.models import Upload
from ingest.queue.quarantine import MAX_BACKOFF
from ingest.queue.worker import FAILURES

logger = logging.getLogger(__name__)

#: Uploads subtracted in one transaction.
AT_ONCE = 500
#: A worker that stages an upload later than this after it was withdrawn does not exist.
LOOK_BACK = timedelta(days=1)


class Totals(NamedTuple):
    """What a locale's tables add up to."""

    creatures: int = 0
    sightings: int = 0
    positions: int = 0
    gathering_places: int = 0
    lootings: int = 0
    drops: int = 0


def finish_pending(locale: str) -> int:
    """Subtract the next uploads that are marked and in no worker's hands any more; returns how many."""
    # Those whose documents could not be read wait longer each time, by the database's clock, and hold up no others.
    due = pending(locale).exclude(retry_at__gt=Now(), retry_at__lte=Now() + 2 * MAX_BACKOFF)
    return _finish(locale, due.order_by("attempts", "id"))


def finish_some(locale: str) -> None:
    """Subtract the next uploads, for the sweep: what fails is logged and tried again by the next one."""
    try:
        finish_pending(locale)
    except FAILURES:
        logger.exception("Withdrawn uploads of %s could not be subtracted; the next sweep tries again.", locale)


def finish(locale: str, uploads: Iterable[UUID]) -> int:
    """Subtract those of some uploads, just merged, that were withdrawn meanwhile; returns how many."""
    withdrawn = Upload.objects.filter(status=Upload.Status.WITHDRAWN)
    ids = list(withdrawn.filter(id__in=list(uploads)).order_by("id").values_list("id", flat=True))
    return sum(
        _finish(locale, withdrawn.filter(id__in=ids[start : start + AT_ONCE])) for start in range(0, len(ids), AT_ONCE)
    )


def finish_left(locale: str, *, whenever: bool = False) -> int:
    """Subtract uploads that are withdrawn and in the ledger all the same; returns how many.

    A worker that died between a fold and its receipts leaves them there; only those that were withdrawn lately are
    looked at, or all (`whenever`).
    """
    withdrawn = Upload.objects.filter(locale=locale, status=Upload.Status.WITHDRAWN, withdrawn_at__isnull=False)
    if not whenever:
        withdrawn = withdrawn.filter(withdrawn_at__gt=Now() - LOOK_BACK)
    done = 0
    for page in _pages(withdrawn.only("id", "content_hash"), 10 * AT_ONCE):
        merged = already_merged(locales.alias(locale), [bytes(upload.content_hash) for upload in page])
        done += finish(locale, [upload.id for upload in page if bytes(upload.content_hash) in merged])
    if done:
        logger.warning("%d uploads of %s had been merged after they were withdrawn; subtracted again.", done, locale)
    return done


def _finish(locale: str, withdrawn: QuerySet[Upload]) -> int:
    alias = locales.alias(locale)
    with transaction.atomic():
        # The rows stay locked until their counts are gone: nobody brings an upload back in between.
        uploads = list(withdrawn.select_for_update(skip_locked=True)[:AT_ONCE])
        ready = _ready(alias, uploads)
        unreadable = subtract(alias, ready) if ready else {}
        waited = {upload.id: upload.attempts for upload in ready}
        for upload_id, reason in unreadable.items():
            logger.error(
                "Upload %s can't be subtracted: %s. It stays on the map until it can be read.", upload_id, reason
            )
            Upload.objects.filter(id=upload_id).update(
                reason=reason[:2000],
                attempts=Least(F("attempts") + 1, 32767),
                retry_at=Now() + min(timedelta(seconds=2 ** (1 + min(waited[upload_id], 12))), MAX_BACKOFF),
            )
        done = [upload.id for upload in ready if upload.id not in unreadable]
        Upload.objects.filter(id__in=done).update(
            withdrawn_at=Now(), lease_until=None, claimed_by="", attempts=0, retry_at=None, reason=""
        )
    return len(done)


def _ready(alias: str, uploads: list[Upload]) -> list[Upload]:
    """Return those uploads that are merged, or can't be any more: neither staged nor claimed by a worker."""
    merged = already_merged(alias, [bytes(upload.content_hash) for upload in uploads])
    open_ones = [upload for upload in uploads if bytes(upload.content_hash) not in merged]
    claimed = set(
        Upload.objects.filter(
            id__in=[upload.id for upload in open_ones],
            lease_until__gt=Now(),
            lease_until__lte=Now() + 2 * settings.CLAIM_LEASE,
        ).values_list("id", flat=True)
    )
    # What a fold moves in between is in neither: subtracting looks into the ledger once more, under its lock.
    staged = hot_tables.staged(alias, [upload.id for upload in open_ones]) if open_ones else set()
    waits = claimed | staged
    return [upload for upload in uploads if upload.id not in waits]


# --- what would vanish ------------------------------------------------------------------------------
class _TakenBack(Exception):
    """Ends a transaction whose changes must not stay."""


def what_would_vanish(locale: str, chosen: QuerySet[Upload], report: Callable[[int], None]) -> Totals:
    """Return what a locale's tables would lose with the chosen uploads: subtracts them, and takes that back.

    Exact, as it is done by the subtraction itself. Folds of this locale wait meanwhile; staging goes on.
    `report` is told how many uploads are done.
    """
    alias = locales.alias(locale)
    difference = Totals()
    done = 0
    try:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            # Before any table is looked at: whoever folds waits for these in turn.
            cursor.execute("SELECT pg_advisory_xact_lock(%s, 0)", [hot_tables.FOLD_LOCK])
            before = totals(alias)
            for page in _pages(chosen, AT_ONCE):
                subtract(alias, page)
                done += len(page)
                report(done)
            difference = Totals(*(old - new for old, new in zip(before, totals(alias), strict=True)))
            raise _TakenBack
    except _TakenBack:
        return difference


def totals(alias: str) -> Totals:
    """Return what a locale's tables add up to."""
    with connections[alias].cursor() as cursor:
        cursor.execute(load("totals.sql"))
        return Totals(*cursor.fetchone())


def _pages(chosen: QuerySet[Upload], size: int) -> Iterator[list[Upload]]:
    after = UUID(int=0)
    while page := list(chosen.filter(id__gt=after).order_by("id")[:size]):
        after = page[-1].id
        yield page
