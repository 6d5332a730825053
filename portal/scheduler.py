"""The schedule's keeper: Celery's own, which also goes on when the clock is set back."""

from __future__ import annotations

from typing import Any

from celery.beat import PersistentScheduler


class Scheduler(PersistentScheduler):
    """Beat's scheduler, for which a last run that is still to come was just now.

    Celery's waits until it is that late again, also after a restart: a clock that was a day ahead for a
    moment would stop the sweep for a day.
    """

    def tick(self, *args: Any, **options: Any) -> float:
        """Run what is due; return the seconds until the next look."""
        ahead = [entry for entry in self.schedule.values() if entry.last_run_at > entry.default_now()]
        for entry in ahead:
            entry.last_run_at = entry.default_now()
        if ahead:
            self._heap = None  # it is ordered by the times that were wrong
        return float(super().tick(*args, **options))
