"""Uploads that may be what makes work on them fail: tried apart from the others, in ever smaller groups.

A group that fails because of its content is split into quarters, so one bad upload of 256 costs some 17 folds. An
upload that fails alone several times is rejected. The step is written into the upload's row (`quarantine_step`) before
a group is tried, so an upload that kills its worker is found like any other.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from itertools import accumulate
from typing import NamedTuple
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import DataError, IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Least, Now
from polars.exceptions import PanicException

from ingest.merge import hot_tables
from ingest.models import Upload

logger = logging.getLogger(__name__)

#: How many uploads are tried together at each step, from the first on.
GROUPS = (256, 64, 16, 4, 1)
ALONE = len(GROUPS)
#: At this step an upload has failed alone three times.
SET_ASIDE = ALONE + 3
#: What failed alone waits so long, and twice as long each time.
FIRST_WAIT_S = 2
#: Waiting times between failed attempts double up to this.
MAX_BACKOFF = timedelta(hours=1)
#: What a failing step of the pipeline raises; polars tells of a bug of its own by no `Exception`.
FAULTS = (Exception, PanicException)
#: What PostgreSQL says when it refuses values, by the classes and codes of its errors: cardinality, data, integrity,
#: limits of a program, memory, and its own internal errors, which are of this kind unless data are corrupt.
_CONTENT = ("21", "22", "23", "54", "53200", "XX000")
#: A COPY that does not fit its table is no upload's doing: the table has changed.
_NO_CONTENT = "22P04"


def is_content(error: BaseException) -> bool:
    """Tell whether an error may come from what uploads hold, and not from what they are worked on with.

    A lost connection, a full disk, a lock, a missing table or document are nobody's content; a bug may be met by
    one upload and by no other.
    """
    if isinstance(error, hot_tables.ERRORS):
        state = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None)
        if state:
            return bool(state.startswith(_CONTENT) and state != _NO_CONTENT)
        # Refused on this side of the connection, such as a text with a zero byte.
        return isinstance(error, DataError | IntegrityError | psycopg.DataError)
    return not isinstance(error, OSError)


def told(error: BaseException) -> str:
    """Return an error as a receipt says it: its first line, without the database's inner circumstances."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"[:2000]


def next_step(faults: int, together: int) -> int:
    """Return the step for uploads of which so many have failed together: the next one with smaller groups."""
    if together == 1:
        return max(faults, ALONE) + 1
    smaller = (step for step, size in enumerate(GROUPS, start=1) if size < together)
    return max(faults + 1, next(smaller))


def hold_apart(uploads: Sequence[UUID], reason: str) -> int:
    """Queue uploads that have failed together to be tried apart from the others; returns how many."""
    with transaction.atomic():
        # Whatever is being changed by somebody stands; what was staged is missed by the sweep.
        free = Upload.objects.filter(id__in=uploads, status__in=[Upload.Status.QUEUED, Upload.Status.STAGED])
        ids = list(free.select_for_update(skip_locked=True).order_by("id").values_list("id", flat=True))
        Upload.objects.filter(id__in=ids).update(
            status=Upload.Status.QUEUED,
            quarantine_step=next_step(0, len(uploads)),
            reason=reason,
            staged_at=None,
            claimed_by="",
            lease_until=None,
            retry_at=None,
        )
    logger.error("%d uploads failed together (%s) and are tried apart, in smaller groups.", len(ids), reason)
    return len(ids)


class Group(NamedTuple):
    """Uploads to be tried together, and the step they were at until now."""

    uploads: list[UUID]
    step: int


def waiting(locale: str) -> bool:
    """Tell whether a locale has uploads to be tried apart, now or later."""
    return _suspects(locale).exists()


def claim(locale: str, claim_name: str) -> Group:
    """Claim the next group of a locale, and count it as failed already: `absolve` takes that back.

    Under the fold lock, so that a group is tried by one worker.
    """
    # By the database's clock, and no time counts that is further off than any can be: as in claim.sql.
    free = (
        _suspects(locale)
        .exclude(~Q(claimed_by=claim_name), lease_until__gt=Now(), lease_until__lte=Now() + 2 * settings.CLAIM_LEASE)
        .exclude(retry_at__gt=Now(), retry_at__lte=Now() + 2 * MAX_BACKOFF)
    )
    with transaction.atomic():
        step = free.order_by("quarantine_step").values_list("quarantine_step", flat=True).first()
        if step is None:
            return Group([], 0)
        alike = free.filter(quarantine_step=step).select_for_update(skip_locked=True).order_by("id")
        sizes = dict(alike.values_list("id", "size_bytes")[: GROUPS[min(step, ALONE) - 1]])
        read = zip(sizes, accumulate(sizes.values()), strict=True)
        group = [upload for no, (upload, size) in enumerate(read) if no == 0 or size <= settings.BATCH_MAX_BYTES]
        Upload.objects.filter(id__in=group).update(
            claimed_by=claim_name,
            lease_until=Now() + settings.CLAIM_LEASE,
            attempts=Least(F("attempts") + 1, 32767),
            quarantine_step=next_step(step, len(group)),
        )
    return Group(group, step)


def absolve(group: Group) -> None:
    """Let a group be tried again as it was: what failed was nothing of its own."""
    Upload.objects.filter(id__in=group.uploads, status=Upload.Status.QUEUED).update(quarantine_step=group.step)


def let_go(group: Group, reason: str) -> None:
    """Let a group that failed be tried in smaller ones: at once, or after a while what has failed alone."""
    alone = next_step(group.step, len(group.uploads)) - ALONE
    wait = timedelta(seconds=FIRST_WAIT_S * 2 ** max(alone - 1, 0))
    Upload.objects.filter(id__in=group.uploads, status=Upload.Status.QUEUED).update(
        reason=reason,
        claimed_by="",
        lease_until=None,
        retry_at=Now() + wait if alone > 0 else None,
    )


def _suspects(locale: str) -> QuerySet[Upload]:
    return Upload.objects.filter(locale=locale, status=Upload.Status.QUEUED, quarantine_step__gt=0)
