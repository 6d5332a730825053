"""The Celery tasks: one verb each, JSON arguments only. Running one twice does no harm."""

from __future__ import annotations

from celery import Task, shared_task

from ingest.maintenance import cleanup, retention, withdrawals
from ingest.queue import sweep as sweeping
from ingest.queue import turn


@shared_task(bind=True, name="ingest.work")
def work(self: Task, locale: str) -> None:
    """Take a turn with a locale. The message is the wake-up, its id the name of the claim."""
    turn.take(locale, self.request.id)


@shared_task(name="ingest.sweep")
def sweep() -> None:
    """Find what was lost, wake workers for it, and go on with withdrawals that wait for workers."""
    sweeping.sweep()
    withdrawals.finish_some_everywhere()


@shared_task(name="ingest.cleanup")
def clean_up() -> None:
    """Finish hourly what crashes left half done, then delete old documents."""
    cleanup.archive_left()
    withdrawals.finish_left_everywhere()
    cleanup.drop_orphans()
    retention.run()
