"""The hourly round: finish what a crash left half done in the spool, and let old documents expire."""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from datetime import timedelta
from time import monotonic
from uuid import UUID

from django.core.files.storage import Storage
from django.db.models import QuerySet
from django.utils import timezone

from core import locales
from ingest.intake import spool
from ingest.maintenance import retention
from ingest.maintenance.withdrawals import finish_left
from ingest.models import Upload
from ingest.queue.worker import FAILURES, archive

logger = logging.getLogger(__name__)

#: A document without a row may belong to a request that is just being answered.
ORPHAN_AGE = timedelta(days=1)
#: For so long a round lets documents expire: a worker's process has nothing else to do meanwhile.
EXPIRE_S = 300.0
#: Documents archived at once.
PAGE = 1_000
_upload_id = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").search


def tidy() -> None:
    """Archive documents that are still in the spool, finish withdrawals, delete documents without a row or too old."""
    # What is staged is not merged yet: should the hot tables vanish, it is read from the spool again.
    waiting = [Upload.Status.QUEUED, Upload.Status.STAGED]
    left = Upload.objects.filter(archived=False).exclude(status__in=waiting).exclude(document_name="")
    archive_all(left)
    for locale in locales.hosted():
        try:
            finish_left(locale)
        except FAILURES:
            logger.exception("Withdrawals of %s could not be looked after; the next round tries again.", locale)
    dropped = drop_orphans(spool.spool())
    if dropped:
        logger.info("%d documents without a row were dropped: their senders never got an answer.", dropped)
    let_expire()


def let_expire() -> None:
    """Delete documents that are older than the site keeps them, for some minutes; the next round goes on."""
    before = retention.cutoff()
    if before is None:
        return
    stop_at = monotonic() + EXPIRE_S
    for locale in locales.hosted():
        try:
            deleted = retention.expire(locale, before, stop_at=stop_at)
        except retention.RebuildBegun:
            logger.warning("No document of %s expires until its rebuild is finished, or discarded.", locale)
        except FAILURES:
            logger.exception("Documents of %s could not expire; the next round tries again.", locale)
        else:
            if deleted:
                logger.info("%d documents of %s were deleted from the archive.", deleted, locale)


def archive_all(left: QuerySet[Upload]) -> None:
    """Archive the documents of uploads, page by page: those that can't be moved stay behind, and hold up no others."""
    after = UUID(int=0)
    while page := list(left.filter(id__gt=after).order_by("id").values_list("id", flat=True)[:PAGE]):
        archive(left.filter(id__in=page))
        after = page[-1]


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
        # By their ids, which the names hold: rows have no index by document, and there may be millions.
        ids = [UUID(found[0]) for found in map(_upload_id, names) if found]
        old = [name for name in set(names) - _known(id__in=ids) if _is_old(storage, name)]
        # Asked once more in any case: what is deleted here can't be had back.
        for name in set(old) - _known(document_name__in=old):
            with suppress(FileNotFoundError):
                storage.delete(name)
                dropped += 1
    return dropped


def _known(**which: object) -> set[str]:
    """Return the documents of some rows."""
    return set(Upload.objects.filter(**which).values_list("document_name", flat=True))


def _is_old(storage: Storage, name: str) -> bool:
    try:
        return bool(storage.get_modified_time(name) < timezone.now() - ORPHAN_AGE)
    except FileNotFoundError:
        return False  # a worker archives, a request takes its document back
