"""Replace time.sleep by one that works under libfaketime; Python loads this at start if the folder is on PYTHONPATH.

Debian 12's libfaketime (0.9.10) breaks clock_nanosleep against the monotonic clock, which is how Python
3.11 sleeps: "Invalid argument". Waiting in select() does the same.
"""

import select
import time


def _sleep(seconds: float) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        select.select([], [], [], left)


time.sleep = _sleep
