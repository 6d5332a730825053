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

from celery import current_app

logger = logging.getLogger(__name__)

#: Wake-ups for one locale are at least this far apart: each lets a worker claim a whole batch, and costs the broker
#: and a worker some milliseconds of processor time, which the door needs when many come.
MIN_GAP_S = 0.25
#: A broker that is away is tried this often, and reported as often.
RETRY_GAP_S = 2.0


def send(task: str, locale: str) -> None:
    """Put a wake-up into a locale's queue and wait for the broker's confirmation; raises what kombu raises."""
    current_app.send_task(
        task, args=[locale], exchange="ingest", routing_key=f"ingest.{locale}", retry=False, ignore_result=True
    )


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
                    send("ingest.work", locale)
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
