"""One turn of a worker with one locale: what a wake-up makes it do, in which order, and for how long."""

from __future__ import annotations

from time import monotonic, sleep

from core import locales
from ingest import lifecycle, wake
from ingest.queue import worker
from ingest.queue.bisection import merge_next_group
from ingest.queue.pacing import fold_is_due, has_room, next_fold_s, other_workers_stage
from ingest.queue.requeue import NOTHING, draw
from maps.publish.run import has_changes, publish

#: A worker stays with one locale for so long, then passes the wake-up on, so that locales share workers fairly.
TURN_S = 5.0
#: Idle grace period and poll interval: how long a fold waits for other workers' staging to finish. Uploads that miss a
#: fold need another one, which writes most rows again.
GRACE_S, POLL_S = 2.0, 0.05
#: Time for publishing in a turn. Under load only turns that merged publish.
PUBLISH_S = 1.0


def take(locale: str, claim_name: str) -> None:
    """Stage what waits in a locale, batch by batch, fold it when it is due, then publish what changed.

    `claim_name` is the wake-up's id.
    """
    began = monotonic()
    # One quarantined group a turn, whatever else waits: neither side can hold up the other.
    tried = merge_next_group(locale, claim_name)
    queue_empty, merged = False, False
    idle_since: float | None = None
    while not queue_empty and monotonic() - began < TURN_S:
        room = has_room(locale)
        nothing_claimed = room and not worker.stage_batch(locale, claim_name)
        # Requeued uploads come behind everything that players wait for; the next round stages what is drawn.
        drawn = draw(locale, claim_name) if nothing_claimed else NOTHING
        queue_empty = nothing_claimed and not drawn.looked_at
        idle = nothing_claimed and not drawn.queued
        idle_since = (idle_since or monotonic()) if idle else None
        if idle_since and monotonic() - idle_since < GRACE_S and other_workers_stage(locale, claim_name):
            queue_empty = False
            sleep(POLL_S)
            continue
        folded = worker.fold_staged(locale) if not room or fold_is_due(locale, idle=idle) else 0
        merged |= folded > 0
        if not room and not folded:
            return  # another worker is folding: when it has finished, it or the sweep wakes a worker
    _wake_next(locale, again=tried > 0 or not queue_empty)
    if queue_empty or tried or merged:
        _publish(locale, busy=not queue_empty)


def _wake_next(locale: str, *, again: bool) -> None:
    """Send the wake-up on if there is more to do, or later if a fold is not due yet."""
    if again:
        wake.send(locale)  # in any case: as many workers go on as there were
    elif (delay_s := next_fold_s(locale)) is not None:
        # Staged so soon after a fold that the next one was not due. The sweep would come seconds later.
        wake.wake_later(locale, delay_s)


def _publish(locale: str, *, busy: bool) -> None:
    """Publish for `PUBLISH_S`; if no locale has anything else to do, another turn goes on with the rest."""
    alias = locales.alias(locale)
    began = monotonic()
    publish(alias, for_s=PUBLISH_S, busy=busy)
    # Only if it ran out of time: what another worker holds would be asked for over and over.
    ran_out = monotonic() - began > PUBLISH_S
    if not busy and ran_out and has_changes(alias) and not lifecycle.locales_with_work(locales.hosted()):
        wake.send_if_none_waits(locale)
