"""Move documents of merged and rejected uploads from the spool to the archive, and say so in their rows."""

from __future__ import annotations

import logging
from uuid import UUID

from django.db.models import QuerySet

from ingest import lifecycle
from ingest.intake import spool
from ingest.models import Upload

logger = logging.getLogger(__name__)

#: Documents moved at once.
PAGE = 1_000
#: At most so many documents that could not be moved are named in the log.
MOST_NAMED = 10


def archive(uploads: QuerySet[Upload]) -> None:
    """Archive the documents of some uploads. What fails now is tried again by the hourly cleanup."""
    documents = dict(uploads.filter(archived=False).values_list("document_name", "id"))
    failed = spool.move_to_archive(documents)
    for name, error in list(failed.items())[:MOST_NAMED]:
        logger.error(
            "The document of upload %s could not be archived (%s: %s); the hourly cleanup tries again.",
            documents[name],
            type(error).__name__,
            error,
        )
    if len(failed) > MOST_NAMED:
        logger.error("%d more documents could not be archived.", len(failed) - MOST_NAMED)
    lifecycle.set_archived([upload for name, upload in documents.items() if name not in failed])


def archive_pages(uploads: QuerySet[Upload]) -> None:
    """Archive the documents of any number of uploads, page by page: what can't be moved holds up no others."""
    after = UUID(int=0)
    while page := list(uploads.filter(id__gt=after).order_by("id").values_list("id", flat=True)[:PAGE]):
        archive(uploads.filter(id__in=page))
        after = page[-1]
