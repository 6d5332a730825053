"""Something done by somebody else at the same time, for tests."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

from django.db import connections


def elsewhere(action: Callable[[], object], within_s: float = 60) -> None:
    """Run on connections of its own, and wait for the end."""

    def run() -> None:
        try:
            action()
        finally:
            connections.close_all()

    thread = Thread(target=run)
    thread.start()
    thread.join(within_s)
    assert not thread.is_alive()
