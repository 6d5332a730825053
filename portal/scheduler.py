"""Celery's scheduler, made to continue when the clock is set back."""

from __future__ import annotations

from typing import Any

from celery.beat import PersistentScheduler


class Scheduler(PersistentScheduler):
    """Beat's scheduler that treats a last run in the future as a run just now.

    Celery's own waits until that time, also after a restart: a clock that was a day ahead for a moment would stop the
    sweep for a day.
    """

    def tick(self, *args: Any, **options: Any) -> float:
        """Run what is due; return the seconds until the next call."""
        ahead = [entry for entry in self.schedule.values() if entry.last_run_at > entry.default_now()]
        for entry in ahead:
            entry.last_run_at = entry.default_now()
        if ahead:
            self._heap = None  # it is ordered by the wrong times
        return float(super().tick(*args, **options))
