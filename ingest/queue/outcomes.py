"""What becomes of an upload that a worker is done with: merged or rejected, and in either case archived."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from uuid import UUID

from ingest import lifecycle
from ingest.intake.archive import archive
from ingest.lifecycle import Merged
from ingest.models import Upload

logger = logging.getLogger(__name__)


def record_merged(merged: Mapping[UUID, Merged]) -> None:
    """Write into the rows of uploads that they are merged, and archive their documents."""
    if merged:
        lifecycle.merge(merged)
        archive(Upload.objects.filter(id__in=list(merged)))


def reject(upload: Upload, reason: str) -> None:
    """Reject an upload and archive its document, unless it was merged meanwhile."""
    if lifecycle.reject(upload, reason):
        logger.error("Upload %s was rejected: %s", upload.id, reason)
        archive(Upload.objects.filter(id=upload.id))
