"""Quarantine: uploads whose content may make work fail are merged apart from the others, in ever smaller groups.

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
from django.db.models import Q
from polars.exceptions import PanicException

from core.database import ERRORS, sqlstate
from ingest import lifecycle

logger = logging.getLogger(__name__)

#: How many uploads are merged together at each step, from step 1 on.
GROUP_SIZES = (256, 64, 16, 4, 1)
#: The first step at which an upload is alone.
ALONE = len(GROUP_SIZES)
#: At this step an upload has failed alone three times, and is rejected.
GIVEN_UP = ALONE + 3
#: What failed alone waits so long, and twice as long each time.
FIRST_WAIT_S = 2
#: What a failing step of the pipeline raises. A bug of polars comes as a BaseException.
ANY_ERROR = (Exception, PanicException)
#: Classes and codes with which PostgreSQL refuses values: cardinality, data, integrity, program limits, memory, and
#: its internal errors, which come from values unless data are corrupt.
_CONTENT = ("21", "22", "23", "54", "53200", "XX000")
#: A COPY that does not fit its table comes from a changed table, not from an upload.
_NOT_CONTENT = "22P04"


def is_content(error: BaseException) -> bool:
    """Return whether an error may come from the content of uploads, and not from what works on them.

    A lost connection, a full disk, a lock, a missing table or document come from no content. A bug may concern one
    upload and no other.
    """
    if isinstance(error, ERRORS):
        code = sqlstate(error)
        if code:
            return code.startswith(_CONTENT) and code != _NOT_CONTENT
        # Refused on this side of the connection, such as a text with a zero byte.
        return isinstance(error, DataError | IntegrityError | psycopg.DataError)
    return not isinstance(error, OSError)


def reason(error: BaseException) -> str:
    """Return an error as a receipt shows it: type and first line, without what else the database says."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"[:2000]


def next_step(step: int, together: int) -> int:
    """Return the step for uploads of which `together` have failed at once: the next one with smaller groups."""
    if together == 1:
        return max(step, ALONE) + 1
    smaller = (number for number, size in enumerate(GROUP_SIZES, start=1) if size < together)
    return max(step + 1, next(smaller))


def add(uploads: Sequence[UUID], why: str) -> None:
    """Quarantine uploads that have failed together."""
    count = lifecycle.quarantine(uploads, next_step(0, len(uploads)), why)
    logger.error("%d uploads failed together (%s) and are merged apart, in smaller groups.", count, why)


class Group(NamedTuple):
    """Uploads to be merged together, and the step they were at before this try."""

    uploads: list[UUID]
    step: int


def claim(locale: str, claim_name: str) -> Group:
    """Claim the next group of a locale, and count it as failed in advance; `not_its_fault` takes that back.

    The caller holds the fold lock, so that one worker tries a group.
    """
    mine = Q(claimed_by=claim_name)
    free = lifecycle.quarantined(locale).exclude(~mine & lifecycle.claimed()).exclude(lifecycle.waiting_for_retry())
    with transaction.atomic():
        step = free.order_by("quarantine_step").values_list("quarantine_step", flat=True).first()
        if step is None:
            return Group([], 0)
        alike = free.filter(quarantine_step=step).select_for_update(skip_locked=True).order_by("id")
        sizes = dict(alike.values_list("id", "size_bytes")[: GROUP_SIZES[min(step, ALONE) - 1]])
        read = zip(sizes, accumulate(sizes.values()), strict=True)
        group = [upload for no, (upload, size) in enumerate(read) if no == 0 or size <= settings.BATCH_MAX_BYTES]
        lifecycle.claim_group(group, claim_name, next_step(step, len(group)))
    return Group(group, step)


def not_its_fault(group: Group) -> None:
    """Let a group be tried again as it was: what failed was not its content."""
    lifecycle.set_quarantine_step(group.uploads, group.step)


def split(group: Group, why: str) -> None:
    """Let the uploads of a failed group be merged in smaller groups, at once; one that failed alone waits first."""
    alone = next_step(group.step, len(group.uploads)) - ALONE
    wait = timedelta(seconds=FIRST_WAIT_S * 2 ** (alone - 1)) if alone > 0 else None
    lifecycle.release_group(group.uploads, why, wait)
