"""The hourly round: finish what a crash left half done in the spool."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import timedelta

from django.core.files.storage import Storage
from django.utils import timezone

from ingest import hot, spool
from ingest.models import Upload
from ingest.subtraction import finish_left
from ingest.work import archive
from maps import locales

logger = logging.getLogger(__name__)

#: A document without a row may belong to a request that is just being answered.
ORPHAN_AGE = timedelta(days=1)
PER_ROUND = 10_000


def tidy() -> None:
    """Archive documents that are still in the spool, finish withdrawals, delete documents without a row."""
    # What is staged is not merged yet: should the hot tables vanish, it is read from the spool again.
    waiting = [Upload.Status.QUEUED, Upload.Status.STAGED]
    left = Upload.objects.filter(archived=False).exclude(status__in=waiting).exclude(document="")
    archive(left[:PER_ROUND])
    for locale in locales.hosted():
        try:
            finish_left(locale)
        except hot.ERRORS:
            logger.exception("Withdrawals of %s could not be looked after; the next round tries again.", locale)
    dropped = drop_orphans(spool.spool())
    if dropped:
        logger.info("%d documents without a row were dropped: their senders never got an answer.", dropped)


def drop_orphans(storage: Storage) -> int:
    """Delete documents of the spool that no row refers to; returns how many.

    They are left behind when the process dies between storing and committing: no 202 was sent.
    """
    dropped = 0
    try:
        folders, _ = storage.listdir("")
    except FileNotFoundError:
        return 0  # nothing has ever been accepted
    for folder in folders:
        names = [f"{folder}/{file}" for file in storage.listdir(folder)[1]]
        known = set(Upload.objects.filter(document__in=names).values_list("document", flat=True))
        for name in names:
            if name in known:
                continue
            with suppress(FileNotFoundError):  # a worker archives, a request takes its document back
                if storage.get_modified_time(name) < timezone.now() - ORPHAN_AGE:
                    storage.delete(name)
                    dropped += 1
    return dropped
