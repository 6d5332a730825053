"""The schedule goes on when the clock is set back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery.beat import PersistentScheduler

from ingest.queue.turn import PUBLISH_S, TURN_S
from portal.celery import app
from portal.scheduler import Scheduler


class Recording(Scheduler):
    """Records what would be sent."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.sent: list[str] = []
        super().__init__(*args, **options)

    def apply_async(self, entry: Any, **options: Any) -> None:
        self.sent.append(entry.name)


@pytest.fixture
def scheduler(tmp_path: Path):
    made = Recording(app=app, schedule_filename=str(tmp_path / "schedule"))
    yield made
    made.close()


def last_run(scheduler: Scheduler, name: str, ago: timedelta) -> None:
    entry = scheduler.schedule[name]
    entry.last_run_at = entry.default_now() - ago


def test_what_is_due_is_sent(scheduler):
    last_run(scheduler, "sweep", timedelta(minutes=1))
    scheduler.tick()
    assert scheduler.sent == ["sweep"]


@pytest.mark.parametrize("cleanup_ago", [timedelta(minutes=5), timedelta(days=-1)])
def test_after_a_clock_was_set_back_a_day_the_sweep_comes_within_its_period(scheduler, cleanup_ago):
    last_run(scheduler, "sweep", timedelta(days=-1))
    last_run(scheduler, "cleanup", cleanup_ago)
    period_s = scheduler.schedule["sweep"].schedule.seconds
    assert PersistentScheduler.tick(scheduler) > period_s  # Celery's own would wait
    assert scheduler.tick() <= period_s


def test_a_last_run_in_the_future_that_was_kept_over_a_restart_delays_nothing(tmp_path):
    for ago in (timedelta(days=-1), None):
        scheduler = Recording(app=app, schedule_filename=str(tmp_path / "schedule"))
        if ago:
            last_run(scheduler, "sweep", ago)
        else:
            assert scheduler.tick() <= scheduler.schedule["sweep"].schedule.seconds
        scheduler.close()


def test_a_sweep_that_waits_for_busy_workers_does_not_expire():
    turn_s = TURN_S + PUBLISH_S
    assert app.conf.beat_schedule["sweep"]["options"]["expires"] >= 5 * turn_s


def test_the_site_uses_this_scheduler():
    assert app.conf.beat_scheduler == "portal.scheduler:Scheduler"
