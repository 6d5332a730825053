"""The life of an upload: all statements that change rows of `Upload`, with those of `ingest/sql`.

    change            from                        to          called by
    ----------------- --------------------------- ----------- ----------------------------------------------
    insert            –                           QUEUED      ingest.intake.accept
    stage             QUEUED                      STAGED      ingest.queue.worker: COPY has committed
    merge             QUEUED, STAGED              MERGED      ingest.queue.outcomes: the ledger holds it
    reject            QUEUED                      REJECTED    ingest.queue.outcomes: it can't be merged
    return_to_queue   STAGED                      QUEUED      ingest.queue.worker: the hot tables lost it
    quarantine        QUEUED, STAGED              QUEUED      ingest.queue.quarantine: its batch or set failed
    retry             REJECTED, failing QUEUED    QUEUED      portal.admin.uploads
    requeue           MERGED, REJECTED            QUEUED      ingest.queue.requeue: the ledger lacks it
    withdraw          QUEUED, STAGED, MERGED      WITHDRAWN   portal.admin.uploads, `manage.py withdraw`
    restore           WITHDRAWN                   QUEUED      portal.admin.uploads, `manage.py withdraw`

`merge` also accepts QUEUED: a fold may commit before `stage` has written STAGED, and a quarantined group is merged
without being STAGED. The other functions that change a row (`claim`, `postpone`, `set_archived` …) leave its status.

Each change of the status is a compare-and-set: its UPDATE names the statuses it expects, or its transaction has locked
rows that have them. If the status is another one by then, no row is changed. A worker may die between any two
statements. The next claim takes uploads whose lease has ended, and the sweep finds uploads that are STAGED but not in
the hot tables. Before either stages or queues them again, what the ledger holds is recorded as merged.

Leases and pauses are set and compared by the database's clock, as workers' clocks may differ. One that ends more than
twice its greatest length ahead was written before the clock was set back, and is ignored.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Least, Now

from ingest.models import Requeued, Upload
from ingest.sql import load

QUEUED, STAGED, MERGED = Upload.Status.QUEUED, Upload.Status.STAGED, Upload.Status.MERGED
REJECTED, WITHDRAWN = Upload.Status.REJECTED, Upload.Status.WITHDRAWN
#: QUEUED and STAGED uploads are merged anyway; WITHDRAWN ones are restored instead.
REQUEUEABLE = (MERGED, REJECTED)
#: Tries in a shared batch before an upload is quarantined: one of the batch may have killed the worker.
MAX_SHARED_TRIES = 3
#: Pauses between failed tries double up to this.
LONGEST_PAUSE = timedelta(hours=1)
_FIND, _INSERT, _CLAIM = (load(name) for name in ("find_upload.sql", "insert_upload.sql", "claim.sql"))
#: The columns that `insert` writes; in a new row, all others have their defaults.
_INSERT_COLUMNS = (
    *("id", "locale", "content_hash", "version", "game_version", "sender", "file_name", "size_bytes", "document_name"),
    *("mobs", "positions", "lootings", "received_at"),
)
#: The columns that workers need.
_WORKER_COLUMNS = [
    "locale",
    "content_hash",
    "version",
    "sender",
    "received_at",
    "document_name",
    "archived",
    "attempts",
]
_MOST_TRIES = 32_767  # of a small integer
_MOST_REASON = 2_000


# --- which uploads ----------------------------------------------------------------------------------
def claimed() -> Q:
    """Return the condition that a claim on an upload still holds."""
    return Q(lease_until__gt=Now(), lease_until__lte=Now() + 2 * settings.CLAIM_LEASE)


def waiting_for_retry() -> Q:
    """Return the condition that an upload waits for its next try."""
    return Q(retry_at__gt=Now(), retry_at__lte=Now() + 2 * LONGEST_PAUSE)


def withdrawable(chosen: QuerySet[Upload]) -> QuerySet[Upload]:
    """Narrow a choice of uploads to those that can be withdrawn: their documents say what is to be subtracted."""
    return chosen.filter(status__in=(QUEUED, STAGED, MERGED), expired_at__isnull=True)


def permanent(chosen: QuerySet[Upload]) -> QuerySet[Upload]:
    """Narrow a choice of uploads to those that can't be withdrawn any more, as their documents are deleted."""
    return chosen.filter(status=MERGED, expired_at__isnull=False)


def restorable(chosen: QuerySet[Upload]) -> QuerySet[Upload]:
    """Narrow a choice of uploads to those that can be restored: withdrawn, with their document."""
    return chosen.filter(status=WITHDRAWN, expired_at__isnull=True).exclude(document_name="")


def requeueable(chosen: QuerySet[Upload]) -> QuerySet[Upload]:
    """Narrow a choice of uploads to those that can be requeued: merged or rejected, with their document."""
    return chosen.filter(status__in=REQUEUEABLE, expired_at__isnull=True).exclude(document_name="")


def quarantined(locale: str) -> QuerySet[Upload]:
    """Return the uploads that are merged apart from the others (`ingest.queue.quarantine`)."""
    return Upload.objects.filter(locale=locale, status=QUEUED, quarantine_step__gt=0)


def withdrawal_pending(locale: str) -> QuerySet[Upload]:
    """Return the uploads that are withdrawn and not subtracted yet."""
    return Upload.objects.filter(locale=locale, status=WITHDRAWN, withdrawn_at__isnull=True)


def expiring(locale: str) -> QuerySet[Upload]:
    """Return the uploads whose documents are being deleted: begun, and not finished yet."""
    return Upload.objects.filter(locale=locale, expired_at__isnull=False, document_name__gt="")


def locales_with_work(hosted: Sequence[str]) -> list[str]:
    """Return those locales with uploads that nobody has claimed, that wait for a fold, or that are requeued."""
    free = Upload.objects.filter(status=QUEUED).exclude(claimed()).exclude(waiting_for_retry())
    staged = Upload.objects.filter(status=STAGED)
    waiting = {*free.values_list("locale", flat=True).distinct(), *staged.values_list("locale", flat=True).distinct()}
    # Asked locale by locale: each answer is one step into the key, however many millions of rows there are.
    return [locale for locale in hosted if locale in waiting or Requeued.objects.filter(locale=locale).exists()]


# --- insert, claim, and back to the queue -----------------------------------------------------------
def find(locale: str, content_hash: bytes) -> Upload | None:
    """Return the upload that has this content already; a rejected one does not count."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, {"locale": locale, "content_hash": content_hash})
        found = cursor.fetchone()
    return Upload.objects.get(id=found[0]) if found else None


def insert(upload: Upload) -> bool:
    """Insert a new row as QUEUED and commit it; return False if an upload with its content exists.

    One statement that commits by itself. `Model.save` takes three to ten times as long.
    """
    # Asking each of the model's fields for its value would take as long as the statement.
    values = {name: getattr(upload, name) for name in _INSERT_COLUMNS} | {"ignored": json.dumps(upload.ignored)}
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, values)
        upload._state.adding = not cursor.rowcount
    return not upload._state.adding


def claim(locale: str, claim_name: str) -> list[Upload]:
    """Claim the longest waiting uploads of a locale that make a batch, for one wake-up.

    A wake-up that is delivered again means that its worker died: it gets its claims back.
    """
    parameters: dict[str, Any] = {
        "locale": locale,
        "claim": claim_name,
        "lease": settings.CLAIM_LEASE,
        "longest_pause": LONGEST_PAUSE,
        "max_uploads": settings.BATCH_MAX_UPLOADS,
        "max_bytes": settings.BATCH_MAX_BYTES,
        "tries_with_others": MAX_SHARED_TRIES,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        # Waiting uploads lie together in an index of their own. At the cost of a spinning disk the planner would
        # rather walk all uploads by age, and each claim of a long queue would take longer than the last.
        cursor.execute("SET LOCAL random_page_cost = 1.1")
        cursor.execute(_CLAIM, parameters)
        ids = [row[0] for row in cursor.fetchall()]
    return list(Upload.objects.filter(id__in=ids).only(*_WORKER_COLUMNS).order_by("received_at", "id"))


def postpone(batch: Sequence[Upload], reason: str) -> None:
    """Give claimed uploads back to the queue for a later try; each failed try doubles the pause."""
    for upload in batch:
        Upload.objects.filter(id=upload.id, status=QUEUED).update(
            reason=reason, lease_until=None, retry_at=Now() + retry_delay(upload.attempts)
        )


def retry_delay(tries: int) -> timedelta:
    """Return how long an upload waits after so many failed tries."""
    return min(timedelta(seconds=2 ** min(tries, 12)), LONGEST_PAUSE)


def reject(upload: Upload, reason: str) -> bool:
    """Reject a QUEUED upload; return False if it was merged meanwhile by another worker, whose claim came later."""
    return bool(
        Upload.objects.filter(id=upload.id, status=QUEUED).update(
            status=REJECTED, rejected_at=Now(), reason=reason, lease_until=None
        )
    )


def retry(upload: Upload) -> bool:
    """Queue a rejected or failing upload again as if it were new; return False if it is neither (any more).

    Raises IntegrityError if its content was accepted as another upload since it was rejected.
    """
    failing = Q(status=QUEUED, attempts__gt=0) & (Q(lease_until__isnull=True) | ~claimed())
    with transaction.atomic():
        changed = (
            Upload.objects.filter(Q(status=REJECTED) | failing, id=upload.id, expired_at__isnull=True)
            .exclude(document_name="")
            .update(**_AS_NEW, rejected_at=None, quarantine_step=Least("quarantine_step", 1))
        )
    return changed == 1


def requeue(uploads: Sequence[UUID], claim_name: str) -> set[UUID]:
    """Queue merged or rejected uploads again and claim them for one wake-up; return which.

    Waits for nobody: rows that are locked, or in another status by now, are left out.
    """
    parameters: dict[str, Any] = {"uploads": list(uploads), "claim": claim_name, "lease": settings.CLAIM_LEASE}
    with connection.cursor() as cursor:
        cursor.execute(load("requeue_uploads.sql"), parameters)
        return {row[0] for row in cursor.fetchall()}


#: A QUEUED upload without claim, failures or reason.
_AS_NEW: dict[str, Any] = {
    "status": QUEUED,
    "claimed_by": "",
    "lease_until": None,
    "attempts": 0,
    "retry_at": None,
    "reason": "",
}


@dataclass(frozen=True)
class Merged:
    """An entry of the ledger: when an upload was merged, and what it contributed (`{"new_mobs": 1, …}`)."""

    merged_at: datetime
    contribution: dict[str, int]


# --- stage and merge --------------------------------------------------------------------------------
def stage(uploads: Sequence[UUID]) -> None:
    """Record that QUEUED uploads are in the hot tables. A fold may have been faster, and its MERGED stands."""
    Upload.objects.filter(id__in=uploads, status=QUEUED).update(
        status=STAGED, staged_at=Now(), lease_until=None, retry_at=None, reason="", quarantine_step=0
    )


def return_to_queue(uploads: Sequence[UUID]) -> int:
    """Queue STAGED uploads again that were lost with the hot tables; return how many."""
    return Upload.objects.filter(id__in=uploads, status=STAGED).update(
        status=QUEUED, staged_at=None, claimed_by="", lease_until=None
    )


def merge(merged: Mapping[UUID, Merged]) -> None:
    """Record uploads as MERGED, with what they contributed, as the ledger has it."""
    parameters: dict[str, Any] = {
        "uploads": list(merged),
        "merged_at": [entry.merged_at for entry in merged.values()],
        "contribution": [json.dumps(entry.contribution) for entry in merged.values()],
    }
    with connection.cursor() as cursor:
        cursor.execute(load("merge_uploads.sql"), parameters)


def set_archived(uploads: Sequence[UUID]) -> None:
    """Record that the documents of uploads are in the archive."""
    Upload.objects.filter(id__in=uploads).update(archived=True)


# --- quarantine -------------------------------------------------------------------------------------
def quarantine(uploads: Sequence[UUID], step: int, reason: str) -> int:
    """Queue uploads that have failed together, to be merged apart from the others; return how many.

    Rows that somebody else is changing are left out; the sweep finds what was staged of them.
    """
    with transaction.atomic():
        free = Upload.objects.filter(id__in=uploads, status__in=[QUEUED, STAGED])
        ids = list(free.select_for_update(skip_locked=True).order_by("id").values_list("id", flat=True))
        Upload.objects.filter(id__in=ids).update(
            status=QUEUED,
            quarantine_step=step,
            reason=reason,
            staged_at=None,
            claimed_by="",
            lease_until=None,
            retry_at=None,
        )
    return len(ids)


def claim_group(uploads: Sequence[UUID], claim_name: str, step: int) -> None:
    """Claim a group of quarantined uploads, and count it as failed in advance: it may kill the worker."""
    Upload.objects.filter(id__in=uploads).update(
        claimed_by=claim_name,
        lease_until=Now() + settings.CLAIM_LEASE,
        attempts=Least(F("attempts") + 1, _MOST_TRIES),
        quarantine_step=step,
    )


def set_quarantine_step(uploads: Sequence[UUID], step: int) -> None:
    """Put quarantined uploads back to a step: what failed was not their content."""
    Upload.objects.filter(id__in=uploads, status=QUEUED).update(quarantine_step=step)


def release_group(uploads: Sequence[UUID], reason: str, wait: timedelta | None) -> None:
    """Let go of the claim on a group that failed, to be merged in smaller groups, at once or after a wait."""
    Upload.objects.filter(id__in=uploads, status=QUEUED).update(
        reason=reason, claimed_by="", lease_until=None, retry_at=None if wait is None else Now() + wait
    )


# --- withdraw and restore ---------------------------------------------------------------------------
def withdraw(uploads: Sequence[UUID]) -> int:
    """Withdraw uploads: no worker claims them any more, and their counts are to be subtracted; return how many.

    Rows that somebody else is changing are left out: withdraw them again.
    """
    with transaction.atomic():
        # Skipped, not waited for: `merge` locks rows in another order.
        free = withdrawable(Upload.objects.filter(id__in=uploads)).select_for_update(skip_locked=True)
        # The claim stays in the row: while it holds, its worker may still stage the upload.
        return Upload.objects.filter(id__in=list(free.values_list("id", flat=True))).update(
            status=WITHDRAWN, withdrawn_at=None, staged_at=None, attempts=0, retry_at=None, reason=""
        )


def set_subtracted(uploads: Sequence[UUID]) -> None:
    """Record that the counts of withdrawn uploads are out of the tables. The caller holds their rows."""
    Upload.objects.filter(id__in=uploads).update(
        withdrawn_at=Now(), lease_until=None, claimed_by="", attempts=0, retry_at=None, reason=""
    )


def postpone_subtraction(upload: Upload, reason: str) -> None:
    """Record why a withdrawn upload could not be subtracted; each failed try doubles the pause."""
    Upload.objects.filter(id=upload.id).update(
        reason=reason[:_MOST_REASON],
        attempts=Least(F("attempts") + 1, _MOST_TRIES),
        retry_at=Now() + retry_delay(1 + upload.attempts),
    )


def restore(uploads: Sequence[UUID]) -> int:
    """Queue withdrawn uploads again, to be merged from the archive; return how many."""
    with transaction.atomic():
        # Waited for, and so in the order of ids, as a subtraction locks them.
        back = restorable(Upload.objects.filter(id__in=uploads)).select_for_update().order_by("id")
        return Upload.objects.filter(id__in=list(back.values_list("id", flat=True))).update(
            **_AS_NEW, withdrawn_at=None, merged_at=None, contribution=None
        )


# --- retention --------------------------------------------------------------------------------------
def expire(possible: QuerySet[Upload], uploads: Sequence[UUID]) -> list[UUID]:
    """Choose uploads for the deletion of their documents; return which. Rows that somebody is changing are left."""
    with transaction.atomic():
        free = possible.filter(id__in=uploads).select_for_update(skip_locked=True)
        ids = list(free.values_list("id", flat=True))
        Upload.objects.filter(id__in=ids).update(expired_at=Now())
    return ids


def keep_document(uploads: Collection[UUID]) -> None:
    """Take the choice of `expire` back: the documents can't be deleted now."""
    Upload.objects.filter(id__in=list(uploads)).update(expired_at=None)


def forget_document(uploads: Sequence[UUID]) -> None:
    """Record that the documents of expired uploads are deleted."""
    Upload.objects.filter(id__in=uploads, expired_at__isnull=False).update(document_name="")
