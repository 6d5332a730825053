"""What the messages stand for. Each task is one verb and one locale; running it twice does no harm."""

from __future__ import annotations

import logging
from time import monotonic, sleep

from celery import Task, shared_task

from core import locales
from ingest.maintenance import cleanup as tidying
from ingest.maintenance import withdrawals
from ingest.queue import wake
from ingest.queue.bisection import try_some
from ingest.queue.requeue import NOTHING, draw
from ingest.queue.worker import (
    FAILURES,
    has_room,
    locales_with_work,
    merge,
    merge_is_due,
    next_merge_s,
    others_stage,
    recover,
)
from ingest.queue.worker import work as stage_batch
from maps.publish.changes import has_changes
from maps.publish.changes import publish as publish_changes

logger = logging.getLogger(__name__)

#: A worker stays with one locale for so long, then passes the wake-up on: locales share fairly.
TURN_S = 5.0
#: Where nothing waits any more, a fold waits so long at most for what other workers are still staging: left out, it
#: would need another fold, which writes most rows again. Whether they are done is asked this often.
OTHERS_S, LOOK_S = 2.0, 0.05
#: Publishing gets this much time in a turn: under load in one that merged, otherwise in one after the other.
PUBLISH_S = 1.0


@shared_task(bind=True, name="ingest.queue.worker")
def work(self: Task, locale: str) -> None:
    """Stage what waits in a locale, batch by batch, merge it when it is due, then publish what changed."""
    began = monotonic()
    drained = False
    empty_since: float | None = None
    # One group a turn, whatever else waits: neither side can hold up the other.
    tried = try_some(locale, self.request.id)
    published_is_old = tried > 0
    while not drained and monotonic() - began < TURN_S:
        room = has_room(locale)
        no_live_work = room and not stage_batch(locale, self.request.id)
        # Only behind everything that players wait for; the next round stages what is drawn.
        drawn = draw(locale, self.request.id) if no_live_work else NOTHING
        drained = no_live_work and not drawn.looked_at
        quiet = no_live_work and not drawn.queued
        empty_since = (empty_since or monotonic()) if quiet else None
        if empty_since and monotonic() - empty_since < OTHERS_S and others_stage(locale, self.request.id):
            drained = False
            sleep(LOOK_S)
            continue
        merged = merge(locale) if not room or merge_is_due(locale, drained=quiet) else 0
        published_is_old |= merged > 0
        if not room and not merged:
            return  # another worker is folding: its end, or the sweep, makes room
    if tried or not drained:
        wake.send(locale)  # in any case: as many workers go on as there were
    elif (delay_s := next_merge_s(locale)) is not None:
        # Staged so soon after a fold that the next one was not due yet: the sweep would come seconds later.
        wake.wake_later(locale, delay_s)
    if drained or published_is_old:
        _publish(locale, busy=not drained)


def _publish(locale: str, *, busy: bool) -> None:
    """Publish for a moment; while no locale has anything else to do, another turn goes on with what is left."""
    alias = locales.alias(locale)
    began = monotonic()
    publish_changes(alias, for_s=PUBLISH_S, busy=busy)
    # Ended by the time, not by what somebody else holds: that would be asked for over and over.
    if not busy and monotonic() - began > PUBLISH_S and has_changes(alias) and not locales_with_work():
        wake.send_if_none_waits(locale)


@shared_task(name="ingest.sweep")
def sweep() -> None:
    """Find what was lost or left: staged uploads, withdrawals, wake-ups for uploads or changes nobody works on."""
    waiting = set(locales_with_work())
    for locale, alias in locales.aliases().items():
        try:
            if recover(locale) or locale in waiting or has_changes(alias):
                wake.send_if_none_waits(locale)
        except FAILURES:
            # Each locale may have a server of its own: one that is away must not hold up the others.
            logger.exception("The sweep of %s failed; the next one tries again.", locale)
        withdrawals.finish_some(locale)


@shared_task(name="ingest.cleanup")
def tidy() -> None:
    """Archive what was left in the spool and drop what nothing refers to."""
    tidying.tidy()
