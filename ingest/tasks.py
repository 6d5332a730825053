"""What the messages stand for. Each task is one verb and one locale; running it twice does no harm."""

from __future__ import annotations

import logging
from time import monotonic

from celery import Task, shared_task

from ingest import tidy as tidying
from ingest.wake import send
from ingest.work import locales_with_work
from ingest.work import work as work_off
from maps import locales
from maps.publish import has_changes
from maps.publish import publish as publish_changes

logger = logging.getLogger(__name__)

#: A worker stays with one locale for so long, then passes the wake-up on: locales share fairly.
TURN_S = 5.0
#: Under load, publishing gets this much time after each turn; the sweep wakes for what is left.
PUBLISH_S = 1.0


@shared_task(bind=True, name="ingest.work")
def work(self: Task, locale: str) -> None:
    """Merge what waits in a locale, batch by batch, then publish what changed."""
    began = monotonic()
    while work_off(locale, self.request.id):
        if monotonic() - began > TURN_S:
            send("ingest.work", locale)
            break
    publish_changes(locales.alias(locale), for_s=PUBLISH_S)


@shared_task(name="ingest.sweep")
def sweep() -> None:
    """Send the wake-ups that were lost: for uploads nobody has claimed, for changes nobody has published."""
    waiting = set(locales_with_work())
    for locale, alias in locales.aliases().items():
        if locale in waiting or has_changes(alias):
            send("ingest.work", locale)


@shared_task(name="ingest.tidy")
def tidy() -> None:
    """Archive what was left in the spool and drop what nothing refers to."""
    tidying.tidy()
