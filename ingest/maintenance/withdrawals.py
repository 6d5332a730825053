"""Finish withdrawals: subtract the counts of withdrawn uploads, exactly.

A worker may have claimed or staged an upload when it was withdrawn. Then the withdrawal is pending until the claim has
ended, or until the upload is merged all the same. The sweep goes on with pending withdrawals, and the hourly cleanup
finds uploads that were merged later still.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import connections, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from core import locales, locks
from core.database import FAILURES
from core.locks import Lock
from ingest import lifecycle
from ingest.maintenance.sql import load
from ingest.maintenance.subtract import subtract
from ingest.merge import hot_tables, ledger
from ingest.models import Upload

logger = logging.getLogger(__name__)

#: Uploads subtracted in one transaction.
AT_ONCE = 500
#: No worker stages an upload later than this after its withdrawal.
LOOK_BACK = timedelta(days=1)


class Totals(NamedTuple):
    """What a locale's tables add up to."""

    creatures: int = 0
    sightings: int = 0
    positions: int = 0
    gathering_positions: int = 0
    lootings: int = 0
    drops: int = 0


# --- finishing --------------------------------------------------------------------------------------
def finish_pending(locale: str) -> int:
    """Subtract the next pending withdrawals that no worker holds up; return how many."""
    # Those whose documents could not be read wait longer each time, and hold up no others.
    due = lifecycle.withdrawal_pending(locale).exclude(lifecycle.waiting_for_retry())
    return _finish(locale, due.order_by("attempts", "id"))


def finish_some_everywhere() -> None:
    """Subtract the next pending withdrawals of each locale; what fails is logged and tried again by the next sweep."""
    for locale in locales.hosted():
        try:
            finish_pending(locale)
        except FAILURES:
            logger.exception("Withdrawn uploads of %s could not be subtracted; the next sweep tries again.", locale)


def finish_merged(locale: str, uploads: Iterable[UUID]) -> int:
    """Subtract those of some uploads, found in the ledger, that are withdrawn; return how many."""
    withdrawn = Upload.objects.filter(status=lifecycle.WITHDRAWN)
    ids = list(withdrawn.filter(id__in=list(uploads)).order_by("id").values_list("id", flat=True))
    return sum(
        _finish(locale, withdrawn.filter(id__in=ids[start : start + AT_ONCE])) for start in range(0, len(ids), AT_ONCE)
    )


def finish_left(locale: str, *, whenever: bool = False) -> int:
    """Subtract uploads that are withdrawn and in the ledger all the same; return how many.

    A worker that was halted for longer than its lease may stage them after they were found in no table. Looks only at
    uploads that were withdrawn lately, or at all of them (`whenever`).
    """
    withdrawn = Upload.objects.filter(locale=locale, status=lifecycle.WITHDRAWN, withdrawn_at__isnull=False)
    if not whenever:
        withdrawn = withdrawn.filter(withdrawn_at__gt=Now() - LOOK_BACK)
    done = 0
    for page in _pages(withdrawn.only("id", "content_hash"), 10 * AT_ONCE):
        merged = ledger.find(locales.alias(locale), [bytes(upload.content_hash) for upload in page])
        done += finish_merged(locale, [upload.id for upload in page if bytes(upload.content_hash) in merged])
    if done:
        logger.warning("%d uploads of %s had been merged after they were withdrawn; subtracted again.", done, locale)
    return done


def finish_left_everywhere() -> None:
    """Call `finish_left` for each locale; what fails is logged and tried again by the next cleanup."""
    for locale in locales.hosted():
        try:
            finish_left(locale)
        except FAILURES:
            logger.exception("Withdrawals of %s could not be checked; the next cleanup tries again.", locale)


def _finish(locale: str, withdrawn: QuerySet[Upload]) -> int:
    alias = locales.alias(locale)
    with transaction.atomic():
        # The rows stay locked until their counts are gone: nobody restores an upload in between.
        uploads = list(withdrawn.select_for_update(skip_locked=True)[:AT_ONCE])
        ready = _ready(alias, uploads)
        unreadable = subtract(alias, ready) if ready else {}
        for upload in ready:
            if upload.id in unreadable:
                reason = unreadable[upload.id]
                logger.error(
                    "Upload %s can't be subtracted: %s. It stays on the map until it can be read.", upload.id, reason
                )
                lifecycle.postpone_subtraction(upload, reason)
        done = [upload.id for upload in ready if upload.id not in unreadable]
        lifecycle.set_subtracted(done)
    return len(done)


def _ready(alias: str, uploads: list[Upload]) -> list[Upload]:
    """Return those uploads that are merged, or can't be any more: neither staged nor claimed by a worker."""
    merged = ledger.find(alias, [bytes(upload.content_hash) for upload in uploads])
    unmerged = [upload.id for upload in uploads if bytes(upload.content_hash) not in merged]
    claimed = set(Upload.objects.filter(lifecycle.claimed(), id__in=unmerged).values_list("id", flat=True))
    # An upload that a fold moves in between is in neither: subtracting looks into the ledger again, under its lock.
    staged = hot_tables.staged(alias, unmerged) if unmerged else set()
    return [upload for upload in uploads if upload.id not in claimed | staged]


# --- dry run ----------------------------------------------------------------------------------------
class _RolledBack(Exception):
    """Ends a transaction whose changes must not stay."""


def what_would_vanish(locale: str, chosen: QuerySet[Upload], report: Callable[[int], None]) -> Totals:
    """Return what a locale's tables would lose with the chosen uploads: subtract them, and roll that back.

    Exact, as the subtraction itself does it. Folds of this locale wait meanwhile; staging goes on. `report` is called
    with the number of uploads done.
    """
    alias = locales.alias(locale)
    difference = Totals()
    done = 0
    try:
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            # Before any table is read: whoever folds waits for those in turn.
            locks.wait_in_transaction(cursor, Lock.FOLD)
            before = totals(alias)
            for page in _pages(chosen, AT_ONCE):
                subtract(alias, page)
                done += len(page)
                report(done)
            difference = Totals(*(old - new for old, new in zip(before, totals(alias), strict=True)))
            raise _RolledBack
    except _RolledBack:
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
