"""Publishing divides its time between spawn points and files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from maps.publish import run
from tests.maps.factories import DE

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


def test_files_get_a_share_of_the_time_while_uploads_keep_workers_busy(monkeypatch):
    """Only building files takes time, a tenth of a second each."""
    now = [0.0]

    def slowly(alias: str) -> Iterator[int]:
        while True:
            now[0] += 0.1
            yield 1

    monkeypatch.setattr(run, "monotonic", lambda: now[0])
    monkeypatch.setattr(run.build, "build_stale", slowly)
    run.publish(DE, for_s=1.0, busy=True)
    assert 0.2 < now[0] < 0.4
    now[0] = 0.0
    run.publish(DE, for_s=1.0)
    assert 0.9 < now[0] < 1.2
