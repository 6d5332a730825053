"""Clean up what crashes left in the spool: merged documents that were not archived, and documents without a row."""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from django.core.files.storage import Storage
from django.utils import timezone

from ingest import lifecycle
from ingest.intake import spool
from ingest.intake.archive import archive_pages
from ingest.models import Upload

logger = logging.getLogger(__name__)

#: A younger document without a row may belong to a request that is being answered.
ORPHAN_AGE = timedelta(days=1)
_upload_id = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").search


def archive_left() -> None:
    """Archive documents that are still in the spool although their uploads are done with."""
    # Staged uploads are not merged yet: should the hot tables vanish, their documents are read from the spool again.
    waiting = [lifecycle.QUEUED, lifecycle.STAGED]
    archive_pages(Upload.objects.filter(archived=False).exclude(status__in=waiting).exclude(document_name=""))


def drop_orphans() -> int:
    """Delete documents of the spool that no row refers to; return how many.

    A process that dies between storing a document and committing its row leaves one. No 202 was sent.
    """
    dropped = 0
    storage = spool.spool()
    try:
        folders, _ = storage.listdir("")
    except FileNotFoundError:
        return 0  # nothing has ever been accepted
    for folder in folders:
        names = [f"{folder}/{file}" for file in storage.listdir(folder)[1]]
        # By the ids in the names: rows have no index by document, and there may be millions.
        ids = [UUID(found[0]) for found in map(_upload_id, names) if found]
        old = [name for name in set(names) - _known(id__in=ids) if _is_old(storage, name)]
        # By name as well: what is deleted here is gone for good.
        for name in set(old) - _known(document_name__in=old):
            with suppress(FileNotFoundError):
                storage.delete(name)
                dropped += 1
    if dropped:
        logger.info("%d documents without a row were deleted: their senders never got an answer.", dropped)
    return dropped


def _known(**which: object) -> set[str]:
    """Return the names of the documents of some rows."""
    return set(Upload.objects.filter(**which).values_list("document_name", flat=True))


def _is_old(storage: Storage, name: str) -> bool:
    try:
        return bool(storage.get_modified_time(name) < timezone.now() - ORPHAN_AGE)
    except FileNotFoundError:
        return False  # a worker archives it, or a request takes its document back
