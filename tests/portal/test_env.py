"""The typed readers of the environment."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from portal import env


def test_a_number_out_of_its_range_is_refused_by_name(monkeypatch):
    monkeypatch.setitem(env._values, "NUMBER", "7")
    assert env.integer("NUMBER", 1, at_least=7, at_most=7) == 7
    for bounds, reason in (({"at_least": 8}, "at least 8, found 7"), ({"at_most": 6}, "at most 6, found 7")):
        with pytest.raises(ImproperlyConfigured, match=f"NUMBER must be {reason}"):
            env.integer("NUMBER", 1, **bounds)
