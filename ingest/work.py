"""Work off a locale's queue: claim a batch, read it, merge it, tell the receipts, archive.

Every step may be the last one before a power cut. What is claimed and not merged is claimed again
(by the same wake-up, or after the lease); what is merged and not yet told is found in the ledger.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

import psycopg
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from ingest import spool
from ingest.fold import Member, Merged, already_merged, fold
from ingest.intern import intern
from ingest.models import LocaleControl, Upload
from ingest.parse import Document, Unreadable, parse
from ingest.sql import load
from maps import locales

logger = logging.getLogger(__name__)

#: After so many attempts an upload is read alone: one of a batch may have killed the worker.
ALONE_AFTER = 3
#: Waiting times between failed attempts double up to this.
MAX_BACKOFF = timedelta(hours=1)
_EPOCH = date(1970, 1, 1)


def work(locale: str, claim_name: str) -> int:
    """Claim and merge one batch of a locale; returns how many uploads were claimed (0: nothing to do).

    `claim_name` is the wake-up's id: delivered again after a crash, it gets its own claims back.
    """
    alias = locales.alias(locale)
    if LocaleControl.objects.filter(locale=locale, work_paused=True).exists():
        return 0
    uploads = claim(locale, claim_name)
    if not uploads:
        return 0
    merged: dict[bytes, Merged] = {}
    try:
        merged = already_merged(alias, [bytes(upload.content_hash) for upload in uploads])
        batch = [upload for upload in uploads if bytes(upload.content_hash) not in merged]
        if batch:
            merged |= _merge(alias, batch)
    # Django leaves an error within COPY as psycopg raised it.
    except (DatabaseError, psycopg.Error, OSError) as error:
        waiting = [upload for upload in uploads if bytes(upload.content_hash) not in merged]
        _postpone(waiting, f"{type(error).__name__}: {error}")
        logger.exception(
            "A batch of %d uploads of %s could not be merged; it waits for another try.", len(waiting), locale
        )
    _tell_receipts(uploads, merged)
    for upload in uploads:
        if bytes(upload.content_hash) in merged:
            archive(upload)
    return len(uploads)


def claim(locale: str, claim_name: str) -> list[Upload]:
    """Claim the longest waiting uploads of a locale, as many as make a batch."""
    parameters: dict[str, Any] = {
        "locale": locale,
        "claim": claim_name,
        "lease": settings.CLAIM_LEASE,
        "max_uploads": settings.BATCH_MAX_UPLOADS,
        "max_bytes": settings.BATCH_MAX_BYTES,
        "alone_after": ALONE_AFTER,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(load("claim.sql"), parameters)
        ids = [row[0] for row in cursor.fetchall()]
    return list(Upload.objects.filter(id__in=ids).order_by("received_at", "id"))


def _merge(alias: str, batch: list[Upload]) -> dict[bytes, Merged]:
    """Read and merge a batch; uploads that prove unreadable are rejected and the others go on."""
    while batch:
        try:
            observations = parse(_document(no, upload) for no, upload in enumerate(batch))
        except Unreadable as fault:
            _reject(batch.pop(fault.no), str(fault))
            continue
        members = [
            Member(no, upload.id, bytes(upload.content_hash), upload.sender, _day(upload.received_at))
            for no, upload in enumerate(batch)
        ]
        interned = intern(alias, observations, [member.sender for member in members])
        return fold(alias, members, interned)
    return {}


def _document(no: int, upload: Upload) -> Document:
    storage = spool.archive() if upload.archived else spool.spool()
    return Document(no, upload.version, _day(upload.received_at), partial(spool.opened, storage, upload.document))


def _day(moment: datetime) -> int:
    """Return a moment's day in UTC, counted from 1970-01-01."""
    return (moment.astimezone(UTC).date() - _EPOCH).days


def _tell_receipts(uploads: Sequence[Upload], merged: dict[bytes, Merged]) -> None:
    entries = [
        (upload.id, merged[bytes(upload.content_hash)]) for upload in uploads if bytes(upload.content_hash) in merged
    ]
    if entries:
        parameters: dict[str, Any] = {
            "uploads": [upload for upload, _ in entries],
            "merged_at": [entry.merged_at for _, entry in entries],
            "brought": [json.dumps(entry.brought) for _, entry in entries],
        }
        with connection.cursor() as cursor:
            cursor.execute(load("tell_receipts.sql"), parameters)


def _reject(upload: Upload, reason: str) -> None:
    # Compare and set: a claim that ran out may have been merged by another worker meanwhile.
    changed = Upload.objects.filter(id=upload.id, status=Upload.Status.QUEUED).update(
        status=Upload.Status.REJECTED, rejected_at=timezone.now(), reason=reason, lease_until=None
    )
    if changed:
        logger.error("Upload %s was rejected: %s", upload.id, reason)
        archive(upload)


def _postpone(batch: Sequence[Upload], reason: str) -> None:
    now = timezone.now()
    for upload in batch:
        wait = min(timedelta(seconds=2 ** min(upload.attempts, 12)), MAX_BACKOFF)
        Upload.objects.filter(id=upload.id, status=Upload.Status.QUEUED).update(
            reason=reason[:2000], lease_until=None, retry_at=now + wait
        )


def archive(upload: Upload) -> None:
    """Move an upload's document to the archive; what fails now is tried again by `tidy`."""
    if upload.archived:
        return
    try:
        spool.move_to_archive(upload.document)
    except OSError:
        logger.exception("The document of upload %s could not be archived; it stays in the spool for now.", upload.id)
        return
    Upload.objects.filter(id=upload.id).update(archived=True)


def locales_with_work() -> list[str]:
    """Return the hosted locales in which uploads wait that nobody has claimed."""
    now = timezone.now()
    free = Upload.objects.filter(status=Upload.Status.QUEUED).exclude(lease_until__gt=now).exclude(retry_at__gt=now)
    waiting = set(free.values_list("locale", flat=True).distinct())
    return [locale for locale in locales.hosted() if locale in waiting]
