"""What every test may use. Tests that need more than PostgreSQL say so with a marker (pyproject.toml)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connections
from django.db.models.signals import post_migrate
from hypothesis import settings as hypothesis_settings

from ingest import hot
from ingest.sql import load
from maps import locales
from portal import limits

#: For tests that touch the portal's database and the locales' databases.
ALL_DATABASES = pytest.mark.django_db(databases="__all__")

# How long an example takes tells more of what else the machine does than of the code.
hypothesis_settings.register_profile("any machine", deadline=None)
hypothesis_settings.load_profile("any machine")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Make the rows of permissions once: Django makes them again after each test that commits, which takes as long
    as emptying all tables. Who gets single permissions in a test gets them by `tests.portal.rows.permissions`."""
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")


@pytest.fixture(autouse=True)
def own_spool(tmp_path: Path, settings) -> Iterator[Path]:
    """Give every test a spool, an archive and published documents of its own, and nothing remembered."""
    for name in ("spool", "archive"):
        settings.STORAGES = {
            **settings.STORAGES,
            name: {**settings.STORAGES[name], "OPTIONS": {"location": tmp_path / name}},
        }
    settings.PUBLISHED_DIR = tmp_path / "published"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # a good one is slow by design
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)  # WhiteNoise warns where there is none
    Path(settings.FILE_UPLOAD_TEMP_DIR).mkdir(parents=True, exist_ok=True)
    cache.clear()
    limits.forget()
    yield tmp_path


@pytest.fixture(autouse=True)
def _nothing_staged(request: pytest.FixtureRequest) -> None:
    """Empty the hot tables before a test that commits: they are no models, and Django's flush leaves them alone."""
    marker = request.node.get_closest_marker("django_db")
    if marker is None or not marker.kwargs.get("transaction"):
        return
    request.getfixturevalue("transactional_db")
    for alias in locales.aliases().values():
        with connections[alias].cursor() as cursor:
            for number in hot.SETS:
                schema = hot.schema(number)
                cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [f"{schema}.staged_upload"])
                if cursor.fetchone()[0]:
                    cursor.execute(load("empty_hot_tables.sql", schema))
