"""What the tests of the pipeline share."""

from __future__ import annotations

import pytest
from django.db import connections

from ingest import hot, tasks, wake
from maps import locales


@pytest.fixture
def wakes(monkeypatch) -> list[str]:
    """Collect the locales for which workers would be woken."""
    woken: list[str] = []
    monkeypatch.setattr(wake, "wake", woken.append)
    monkeypatch.setattr(tasks, "wake_later", lambda locale, delay_s: woken.append(locale))
    return woken


@pytest.fixture
def empty_hot_tables(transactional_db: None) -> None:
    """Begin with empty hot tables: flushing a test database leaves what lies outside Django's models."""
    for alias in locales.aliases().values():
        with connections[alias].cursor() as cursor:
            for number in hot.SETS:
                cursor.execute(f"DROP SCHEMA IF EXISTS {hot.schema(number)} CASCADE")
                cursor.execute(f"CREATE SCHEMA {hot.schema(number)}")
            cursor.execute("UPDATE hot_state SET filling = 0, folded_at = now()")
