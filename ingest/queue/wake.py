"""Wake workers without waiting for the broker.

The web process answers a sender as soon as the upload's row is committed. Whether the wake-up
reaches RabbitMQ is not his concern: a thread sends it, many uploads within a moment share one, and
what is lost while the broker is away is found by the sweep.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from dataclasses import dataclass

from celery import current_app
from kombu import Connection

logger = logging.getLogger(__name__)

#: A process sends wake-ups for one locale at least this far apart: each lets a worker claim a whole batch, and costs
#: the broker and a worker some milliseconds of processor time, which the door needs when many come.
MIN_GAP_S = 0.25
#: A broker that is away is tried this often, and reported as often.
RETRY_GAP_S = 2.0


@dataclass(frozen=True)
class Queue:
    """A queue at the broker: messages ready in it and consumers listening to it."""

    messages: int
    consumers: int


def look(connection: Connection, name: str) -> Queue | None:
    """Ask the broker for a queue; None where it does not exist (yet). Raises the connection's errors."""
    channel = connection.channel()  # one each: asking for a missing queue closes the channel
    try:
        found = channel.queue_declare(name, passive=True)
    except connection.channel_errors:
        return None
    channel.close()
    return Queue(messages=found.message_count, consumers=found.consumer_count)


def send(locale: str) -> None:
    """Put a wake-up into a locale's queue and wait for the broker's confirmation; raises what kombu raises."""
    current_app.send_task(
        "ingest.queue.worker",
        args=[locale],
        exchange="ingest",
        routing_key=f"ingest.{locale}",
        retry=False,
        ignore_result=True,
    )


def send_if_none_waits(locale: str) -> None:
    """Send a wake-up unless one waits already: the worker that takes that one sees all there is by then.

    One that a worker has taken does not count, its look at the queue may be over. Without this, wake-ups of a surge
    pile up, and at its end each of them costs a worker a look for nothing. Raises what kombu raises.
    """
    with current_app.pool.acquire(block=True) as connection:
        # One that broke under the last wake-up stays closed in the pool until it is asked to connect.
        connection.ensure_connection(max_retries=1, interval_start=0, interval_step=0)
        waiting = look(connection, f"ingest.{locale}")
    if not waiting or not waiting.messages:
        send(locale)


class Waker:
    """A thread of this process that sends wake-ups; started with the first one, after any fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: set[str] = set()
        self._later: dict[str, threading.Timer] = {}
        self._due = threading.Event()
        self._pid = 0

    def wake(self, locale: str) -> None:
        """See to it that a worker looks at a locale's queue soon; returns at once."""
        with self._lock:
            self._pending.add(locale)
            if self._pid != os.getpid():
                self._pid = os.getpid()
                threading.Thread(target=self._run, name="waker", daemon=True).start()
        self._due.set()

    def wake_later(self, locale: str, delay_s: float) -> None:
        """See to it that a worker looks at a locale's queue after a while; one such wake-up is under way at a time.

        It is lost with this process, and the sweep stands behind it.
        """
        with self._lock:
            timer = self._later.get(locale)
            if timer is None or not timer.is_alive():  # a fork's timers run in its parent only
                timer = self._later[locale] = threading.Timer(delay_s, self.wake, [locale])
                timer.daemon = True
                timer.start()

    def _run(self) -> None:
        while True:
            self._due.wait()
            self._due.clear()
            with self._lock:
                pending, self._pending = self._pending, set()
            for locale in sorted(pending):
                try:
                    send_if_none_waits(locale)
                except Exception as error:  # noqa: BLE001  (whatever the broker does: the sweep stands behind)
                    logger.warning(
                        "The wake-up for %s could not be sent (%s: %s). Its uploads are safe; "
                        "the next sweep that reaches RabbitMQ starts them.",
                        locale,
                        type(error).__name__,
                        error,
                    )
                    time.sleep(RETRY_GAP_S)
            time.sleep(MIN_GAP_S)


_waker = Waker()
wake, wake_later = _waker.wake, _waker.wake_later
