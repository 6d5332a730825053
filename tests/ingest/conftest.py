"""What the tests of the pipeline share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connections

from core import locales
from ingest import wake
from ingest.maintenance import rebuild_tables
from ingest.merge import hot_tables
from portal.management.commands import withdraw
from tests.ingest.maintenance.expiring import ALIAS, forget_base


@pytest.fixture
def sent(monkeypatch) -> list[str]:
    """Collect the locales whose queues get a wake-up at once, from tasks and commands."""
    locales: list[str] = []
    monkeypatch.setattr(wake, "send", locales.append)
    monkeypatch.setattr(wake, "send_if_none_waits", locales.append)
    return locales


@pytest.fixture
def wakes(monkeypatch, sent) -> list[str]:
    """Collect the locales whose workers would be woken by the thread for that; nothing is sent at all."""
    woken: list[str] = []
    monkeypatch.setattr(wake, "wake", woken.append)
    monkeypatch.setattr(wake, "wake_later", lambda locale, delay_s: woken.append(locale))
    return woken


@pytest.fixture
def empty_hot_tables(transactional_db: None) -> None:
    """Begin with empty hot tables: flushing a test database leaves what lies outside Django's models."""
    for alias in locales.aliases().values():
        with connections[alias].cursor() as cursor:
            for number in hot_tables.SETS:
                cursor.execute(f"DROP SCHEMA IF EXISTS {hot_tables.schema(number)} CASCADE")
                cursor.execute(f"CREATE SCHEMA {hot_tables.schema(number)}")
            cursor.execute("UPDATE hot_state SET filling = 0, folded_at = now()")


@pytest.fixture
def empty_base(empty_hot_tables: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin with an empty base and no rebuild, and leave it like that; commands wake nobody and wait for nobody."""
    monkeypatch.setattr(wake, "send", lambda locale: None)
    monkeypatch.setattr(withdraw, "WAIT_FOR_WORKERS_S", 0.5)
    rebuild_tables.discard(ALIAS)
    forget_base()
    yield
    rebuild_tables.discard(ALIAS)
    forget_base()
