"""What the tests of the pipeline share."""

from __future__ import annotations

import pytest

from ingest import wake


@pytest.fixture
def wakes(monkeypatch) -> list[str]:
    """Collect the locales for which workers would be woken."""
    woken: list[str] = []
    monkeypatch.setattr(wake, "wake", woken.append)
    return woken
