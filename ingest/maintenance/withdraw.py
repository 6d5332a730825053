"""Withdraw uploads, and bring them back: what happens to their rows.

Two steps, so that whatever dies between them is finished later: `mark` sets the row's status, from which no
worker claims it any more. Then its counts are subtracted (`ingest.maintenance.withdrawals`), and `withdrawn_at` is
set.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from ingest.models import Upload

#: What may be withdrawn; rejected uploads are in no table.
WITHDRAWABLE = (Upload.Status.QUEUED, Upload.Status.STAGED, Upload.Status.MERGED)


def withdrawable(chosen: QuerySet[Upload]) -> QuerySet[Upload]:
    """Narrow a choice of uploads to those that can be withdrawn: what is subtracted is told by the documents."""
    return chosen.filter(status__in=WITHDRAWABLE, expired_at__isnull=True)


def expired(chosen: QuerySet[Upload]) -> QuerySet[Upload]:
    """Narrow a choice of uploads to those that are on the map for good, as their documents are deleted."""
    return chosen.filter(status=Upload.Status.MERGED, expired_at__isnull=False)


def restorable(chosen: QuerySet[Upload]) -> QuerySet[Upload]:
    """Narrow a choice of uploads to those that can be brought back: withdrawn, with their document."""
    return chosen.filter(status=Upload.Status.WITHDRAWN, expired_at__isnull=True).exclude(document_name="")


def mark(uploads: Sequence[UUID]) -> int:
    """Mark uploads as withdrawn, and their counts as to be subtracted; returns how many.

    Those that somebody is just changing are left: mark them again.
    """
    with transaction.atomic():
        # Locked, or skipped: whoever tells receipts locks rows in another order, and must not be waited for.
        free = withdrawable(Upload.objects.filter(id__in=uploads)).select_for_update(skip_locked=True)
        # A claim stays noted down: as long as it holds, its worker may still stage the upload.
        return Upload.objects.filter(id__in=list(free.values_list("id", flat=True))).update(
            status=Upload.Status.WITHDRAWN, withdrawn_at=None, staged_at=None, attempts=0, retry_at=None, reason=""
        )


def pending(locale: str) -> QuerySet[Upload]:
    """Return the uploads that are marked and not subtracted yet."""
    return Upload.objects.filter(locale=locale, status=Upload.Status.WITHDRAWN, withdrawn_at__isnull=True)


def bring_back(uploads: Sequence[UUID]) -> int:
    """Queue withdrawn uploads again, to be merged from the archive; returns how many."""
    with transaction.atomic():
        # In the order of their ids, as a subtraction locks them; it is waited for.
        back = restorable(Upload.objects.filter(id__in=uploads)).select_for_update().order_by("id")
        return Upload.objects.filter(id__in=list(back.values_list("id", flat=True))).update(
            status=Upload.Status.QUEUED,
            withdrawn_at=None,
            merged_at=None,
            contribution=None,
            claimed_by="",
            lease_until=None,
            attempts=0,
            retry_at=None,
            reason="",
        )
