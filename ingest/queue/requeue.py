"""Requeue archived uploads, by the million, beside what players send.

A command adds them to the table `Requeued` in one statement. Workers draw from it when nothing else waits. An upload
whose content the locale's ledger holds is done with. One that is missing there (after a restored backup, say) is
queued, staged and merged like any upload, a batch at a time.

Nobody waits in a circle: adding goes in key order, drawing skips what others have locked.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import NamedTuple
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from core import locales
from core.database import ERRORS
from ingest import lifecycle
from ingest.batch.read import batches
from ingest.merge import ledger
from ingest.models import LocaleControl, Requeued, Upload
from ingest.queue.sql import load

logger = logging.getLogger(__name__)

#: Uploads looked at in one draw: looking one up in the ledger is cheap, reading its document is not.
LOOK_AT = 1_000


class Drawn(NamedTuple):
    """How many requeued uploads are done with, and how many of them are queued and claimed now."""

    looked_at: int
    queued: int


NOTHING = Drawn(0, 0)


def select(chosen: QuerySet[Upload]) -> dict[str, int]:
    """Select those of the chosen uploads that can be requeued, for `add_selected`; return how many of each locale.

    The selection lasts as long as the session.
    """
    rows = lifecycle.requeueable(chosen).order_by("locale", "id").values_list("locale", "id")
    statement, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(load("requeue_selection.sql"))
        cursor.execute("TRUNCATE requeue_selection")
        cursor.execute(f"INSERT INTO requeue_selection {statement}", parameters)
        cursor.execute("SELECT locale, count(*) FROM requeue_selection GROUP BY locale ORDER BY locale")
        return dict(cursor.fetchall())


def add_selected() -> int:
    """Requeue the selected uploads; return how many were not requeued already."""
    with connection.cursor() as cursor:
        cursor.execute(load("add_requeued.sql"))
        return int(cursor.rowcount)


def draw(locale: str, claim_name: str) -> Drawn:
    """Look at the next requeued uploads of a locale: drop those that are merged, queue a batch of the others.

    The wake-up claims what it queues at once. If the process dies on the way, nothing has happened.
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
    except ERRORS:
        logger.exception("The requeued uploads of %s could not be looked up; they wait for another try.", locale)
        return NOTHING


def _draw(locale: str, claim_name: str) -> Drawn:
    with connection.cursor() as cursor:
        cursor.execute(load("lock_requeued.sql"), {"locale": locale, "many": LOOK_AT})
        drawn: set[UUID] = {row[0] for row in cursor.fetchall()}
    if not drawn:
        return NOTHING
    missing = _missing(locale, drawn)
    batch = next(batches(missing), [])
    queued = lifecycle.requeue([upload.id for upload in batch], claim_name)
    done = drawn - {upload.id for upload in missing} | queued
    Requeued.objects.filter(locale=locale, upload__in=done).delete()
    return Drawn(len(done), len(queued))


def _missing(locale: str, drawn: Iterable[UUID]) -> list[Upload]:
    """Return those uploads that should be in the locale's tables and are not, each content once."""
    uploads = list(
        lifecycle.requeueable(Upload.objects.filter(id__in=drawn, locale=locale))
        .only("id", "status", "content_hash", "size_bytes")
        .order_by("id")
    )
    merged = ledger.find(locales.alias(locale), [bytes(upload.content_hash) for upload in uploads])
    rejected = [upload.content_hash for upload in uploads if upload.status == lifecycle.REJECTED]
    # Content that was accepted again since it was rejected has its upload already.
    taken = {
        bytes(content)
        for content in Upload.objects.filter(locale=locale, content_hash__in=rejected)
        .exclude(status=lifecycle.REJECTED)
        .values_list("content_hash", flat=True)
    }
    missing = []
    for upload in uploads:
        content = bytes(upload.content_hash)
        if content in merged or (upload.status == lifecycle.REJECTED and content in taken):
            continue
        taken.add(content)
        missing.append(upload)
    return missing
