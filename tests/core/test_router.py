"""Merged data is in the locales' databases, everything else in the portal's."""

from __future__ import annotations

import pytest

from core.router import LocaleRouter
from ingest.models import Upload
from maps.models import Zone


@pytest.mark.parametrize(
    ("database", "app", "allowed"),
    [("default", "portal", True), ("default", "maps", False), ("map_deDE", "maps", True), ("map_deDE", "auth", False)],
)
def test_tables_are_created_in_their_databases_only(database, app, allowed):
    assert LocaleRouter().allow_migrate(database, app) is allowed


def test_related_rows_of_merged_data_come_from_the_same_locale():
    zone = Zone()
    zone._state.db = "map_deDE"
    assert LocaleRouter().db_for_read(Zone, instance=zone) == "map_deDE"
    assert LocaleRouter().db_for_read(Zone) is None
    assert LocaleRouter().db_for_read(Upload, instance=Upload()) is None
