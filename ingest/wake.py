"""Wake workers without waiting for the broker.

The web process answers a sender as soon as the upload's row is committed. The wake-up follows: a thread sends it, and
uploads that come within a moment share one. If the broker is unavailable and a wake-up is lost, the sweep finds its
uploads.
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

#: A process sends wake-ups for one locale at least this far apart. Each lets a worker claim a whole batch, and costs
#: some milliseconds of processor time, which the upload endpoint needs when many uploads come.
MIN_GAP_S = 0.25
#: An unavailable broker is tried this often, and logged as often.
RETRY_GAP_S = 2.0


@dataclass(frozen=True)
class Queue:
    """A queue at the broker: messages ready in it and consumers listening to it."""

    messages: int
    consumers: int


def look(connection: Connection, name: str) -> Queue | None:
    """Return what the broker says of a queue, None if it does not exist (yet). Raises the connection's errors."""
    channel = connection.channel()  # a channel of its own: asking for a missing queue closes it
    try:
        found = channel.queue_declare(name, passive=True)
    except connection.channel_errors:
        return None
    channel.close()
    return Queue(messages=found.message_count, consumers=found.consumer_count)


def send(locale: str) -> None:
    """Send a wake-up to a locale's queue and wait for the broker's confirmation; raises what kombu raises."""
    current_app.send_task(
        "ingest.work",
        args=[locale],
        exchange="ingest",
        routing_key=f"ingest.{locale}",
        retry=False,
        ignore_result=True,
    )


def send_if_none_waits(locale: str) -> None:
    """Send a wake-up unless one waits already: the worker that takes it will see everything that waits by then.

    A wake-up that a worker has taken does not count, as the worker may have looked already. Without this check,
    wake-ups pile up in a surge, and each of them costs a worker a look for nothing. Raises what kombu raises.
    """
    with current_app.pool.acquire(block=True) as connection:
        # A connection that broke under the last wake-up stays closed in the pool until told to connect.
        connection.ensure_connection(max_retries=1, interval_start=0, interval_step=0)
        waiting = look(connection, f"ingest.{locale}")
    if not waiting or not waiting.messages:
        send(locale)


class Waker:
    """A thread of this process that sends wake-ups. It starts with the first one, after any fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: set[str] = set()
        self._later: dict[str, threading.Timer] = {}
        self._due = threading.Event()
        self._pid = 0

    def wake(self, locale: str) -> None:
        """Wake a worker for a locale soon; return at once."""
        with self._lock:
            self._pending.add(locale)
            if self._pid != os.getpid():
                self._pid = os.getpid()
                threading.Thread(target=self._run, name="waker", daemon=True).start()
        self._due.set()

    def wake_later(self, locale: str, delay_s: float) -> None:
        """Wake a worker for a locale after a delay; one delayed wake-up per locale is scheduled at a time.

        It is lost with this process; then the sweep wakes a worker.
        """
        with self._lock:
            timer = self._later.get(locale)
            if timer is None or not timer.is_alive():  # after a fork, timers run in the parent only
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
                except Exception as error:  # noqa: BLE001  (whatever the broker does, the sweep follows)
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
