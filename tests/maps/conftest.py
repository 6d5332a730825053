"""Fixtures for tests of published files: a zone with a wolf, and what the wolf gives."""

from __future__ import annotations

import pytest

from tests.maps.factories import creature, habitat, item, loot, source, zone
from tests.maps.publish.published import change, recount


@pytest.fixture
def marsh() -> int:
    here = zone("Weidenmark")
    habitat(creature(7, "Wolf"), here, {(10, 10): [1, 2], (50, 50): [3]})
    change(7, here)
    return here


@pytest.fixture
def wolf(marsh) -> int:
    """Return the source of what the wolf gives: item 3651, sometimes item 20."""
    gives = source("kill", 7)
    loot(gives, marsh, 10, {3651: 6, 20: 2})
    item(3651, "Pelz")
    recount(("creature", 7), ("source", gives))
    return gives
