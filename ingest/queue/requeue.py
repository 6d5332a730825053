"""Put archived uploads back to work, by the million, beside what players send.

`put_back` adds them to `Requeued` in one statement. Workers draw from there when nothing else waits: what
the locale's ledger holds is done with, what it does not hold (after a restored backup, say) is queued, staged
and merged like any upload, a batch at a time.

Nobody waits in a circle: adding goes in the order of the key, drawing skips what others hold.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from core import locales
from ingest.merge import hot_tables
from ingest.merge.fold import already_merged
from ingest.models import LocaleControl, Requeued, Upload
from ingest.queue.sql import load

logger = logging.getLogger(__name__)

#: What may be put back: the others are at work already, or withdrawn (`withdraw --restore` brings those back).
BACK = (Upload.Status.MERGED, Upload.Status.REJECTED)
#: Uploads looked at in one go; looking one up in the ledger is cheap, reading its document is not.
LOOK_AT = 1_000


class Drawn(NamedTuple):
    """How many requeued uploads were looked at, and how many of them are queued and claimed now."""

    looked_at: int
    queued: int


NOTHING = Drawn(0, 0)


def requeueable(chosen: QuerySet[Upload]) -> QuerySet[Upload]:
    """Narrow a choice of uploads to those that can be put back: merged or rejected, with their document."""
    return chosen.filter(status__in=BACK, expired_at__isnull=True).exclude(document_name="")


def select(chosen: QuerySet[Upload]) -> dict[str, int]:
    """Note down the chosen uploads for `put_back`, in this session; returns how many of each locale."""
    rows = requeueable(chosen).order_by("locale", "id").values_list("locale", "id")
    statement, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(load("requeue_select.sql"))
        cursor.execute("TRUNCATE requeue_selection")
        cursor.execute(f"INSERT INTO requeue_selection {statement}", parameters)
        cursor.execute("SELECT locale, count(*) FROM requeue_selection GROUP BY locale ORDER BY locale")
        return dict(cursor.fetchall())


def put_back() -> int:
    """Put the selected uploads back to work; returns how many were not there already."""
    with connection.cursor() as cursor:
        cursor.execute(load("requeue.sql"))
        return int(cursor.rowcount)


def draw(locale: str, claim_name: str) -> Drawn:
    """Look at the next requeued uploads of a locale: forget those that are merged, queue a batch of the others.

    What is queued is claimed by the wake-up at once. If the process dies on the way, nothing has happened.
    """
    if LocaleControl.objects.filter(locale=locale, work_paused=True).exists():
        return NOTHING
    try:
        with transaction.atomic():
            return _draw(locale, claim_name)
    except IntegrityError:
        # The content of a rejected upload came again between the look and the update; the next draw sees it.
        logger.info("Drawing requeued uploads of %s met a new upload of the same content; trying again.", locale)
        return NOTHING
    except hot_tables.ERRORS:
        logger.exception("The requeued uploads of %s could not be looked up; they wait for another try.", locale)
        return NOTHING


def _draw(locale: str, claim_name: str) -> Drawn:
    with connection.cursor() as cursor:
        cursor.execute(load("requeue_look.sql"), {"locale": locale, "many": LOOK_AT})
        jobs: set[UUID] = {row[0] for row in cursor.fetchall()}
        if not jobs:
            return NOTHING
        lost = _lost(locale, jobs)
        parameters: dict[str, Any] = {
            "uploads": [upload.id for upload in _batch(lost)],
            "claim": claim_name,
            "lease": settings.CLAIM_LEASE,
        }
        cursor.execute(load("requeue_back.sql"), parameters)
        queued = {row[0] for row in cursor.fetchall()}
    done = jobs - {upload.id for upload in lost} | queued
    Requeued.objects.filter(locale=locale, upload__in=done).delete()
    return Drawn(len(done), len(queued))


def _lost(locale: str, jobs: Iterable[UUID]) -> list[Upload]:
    """Return those uploads that should be in the locale's tables and are not, each content once."""
    uploads = list(
        requeueable(Upload.objects.filter(id__in=jobs, locale=locale))
        .only("id", "status", "content_hash", "size_bytes")
        .order_by("id")
    )
    merged = already_merged(locales.alias(locale), [bytes(upload.content_hash) for upload in uploads])
    rejected = [upload.content_hash for upload in uploads if upload.status == Upload.Status.REJECTED]
    # Content that was accepted again since it was rejected has its upload already.
    taken = {
        bytes(content)
        for content in Upload.objects.filter(locale=locale, content_hash__in=rejected)
        .exclude(status=Upload.Status.REJECTED)
        .values_list("content_hash", flat=True)
    }
    lost = []
    for upload in uploads:
        content = bytes(upload.content_hash)
        if content in merged or (upload.status == Upload.Status.REJECTED and content in taken):
            continue
        taken.add(content)
        lost.append(upload)
    return lost


def _batch(uploads: Iterable[Upload]) -> list[Upload]:
    """Return the first uploads that make a batch, at least one."""
    batch: list[Upload] = []
    size_bytes = 0
    for upload in uploads:
        size_bytes += upload.size_bytes
        if batch and (len(batch) == settings.BATCH_MAX_UPLOADS or size_bytes > settings.BATCH_MAX_BYTES):
            break
        batch.append(upload)
    return batch
