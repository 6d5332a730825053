"""What docs/operating.md names exists."""

from __future__ import annotations

import re

import pytest

from portal import checks
from portal.env import BASE_DIR
from portal.operations import metrics
from tests.conftest import ALL_DATABASES

TEXT = (BASE_DIR / "docs" / "operating.md").read_text(encoding="utf-8")


@ALL_DATABASES
def test_every_metric_it_names_is_exported(settings):
    settings.BROKER_URL = "amqp://someone@127.0.0.1:1//"
    exported = {family.name for family in metrics.registry.collect()}
    named = set(re.findall(r"\bmobmap_[a-z_]+[a-z]", TEXT))
    assert named
    assert named <= exported


def test_every_system_check_is_listed():
    listed = set(re.findall(r"portal\.[EW]\d{3}", TEXT))
    source = (BASE_DIR / "portal" / "checks.py").read_text(encoding="utf-8")
    assert listed == set(re.findall(r"portal\.[EW]\d{3}", source))


@pytest.mark.parametrize("function", [name for name in vars(checks) if name.startswith("check_")])
def test_every_check_says_its_id(function):
    assert re.match(r"[EW]\d{3}: ", getattr(checks, function).__doc__)
