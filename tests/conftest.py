"""What every test may use. Tests that need more than PostgreSQL say so with a marker (pyproject.toml)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.cache import caches
from django.core.management import call_command
from django.db import connections
from django.test import TransactionTestCase, override_settings
from hypothesis import settings as hypothesis_settings

from core import locales, time_limited
from deploy.steps import testing
from ingest.merge import hot_tables
from ingest.merge.sql import load

#: For tests that touch the portal's database and the locales' databases.
ALL_DATABASES = pytest.mark.django_db(databases="__all__")

#: Files whose tests take longest, the longest first. They begin first, so that no process ends long after the others.
LONGEST = (
    "maps/estimate/test_spawns_accuracy.py",
    "browser/test_everywhere.py",
    "ingest/queue/test_tasks_interleaving.py",
    "system/test_samples.py",
    "system/test_pipeline.py",
    "ingest/merge/test_large_habitats.py",
    "system/test_second_cluster.py",
    "system/test_memory.py",
    "system/test_server.py",
)

#: Tables whose rows belong to the database like its columns do.
FILLED_BY_MIGRATIONS = {"django_content_type", "auth_permission"}

# How long an example takes tells more of what else the machine does than of the code.
hypothesis_settings.register_profile("any machine", deadline=None)
hypothesis_settings.load_profile("any machine")


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which may be switched off
def pytest_xdist_setupnodes(specs: list[Any]) -> None:
    """Give each of several processes a broker of its own; its databases are its own by pytest-django's doing.

    By the environment, so that web servers and workers that a test starts get the same."""
    if len(specs) > testing.MOST_PROCESSES:
        raise pytest.UsageError(f"The broker is made for {testing.MOST_PROCESSES} processes (-n), not {len(specs)}.")
    server = django_settings.BROKER_URL.rpartition("/")[0]
    for number, spec in enumerate(specs):
        spec.env["MOBMAP_BROKER_URL"] = f"{server}/{testing.vhost(number)}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files of `LONGEST`; the others keep their order. See `deploy.steps.testing.xdist_options`."""
    rank = {Path(__file__).parent / name: position for position, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name no test after bytes: those of a compressed file tell the second it was made in, so that two processes would
    know one test by two names, and pytest-xdist would run none."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> None:
    """Empty only what a test filled: Django empties every table of every database after each test that commits, and
    makes the rows of permissions and content types again, which takes longer than most of the tests."""
    TransactionTestCase._fixture_teardown = lambda test: [  # type: ignore[attr-defined]
        _empty_filled_tables(alias) for alias in test._databases_names(include_mirrors=False)
    ]


def _empty_filled_tables(alias: str) -> None:
    """Truncate the models' tables that hold rows, but for those that are filled with the database's migrations."""
    connection = connections[alias]
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    names = [connection.ops.quote_name(table) for table in tables if table not in FILLED_BY_MIGRATIONS]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in names))
        if filled := [name for (name,) in cursor.fetchall()]:
            cursor.execute(f"TRUNCATE {', '.join(filled)} CASCADE")


@pytest.fixture(scope="session")
def static_as_served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all static files as a site hands them out, for tests to take as their `STATIC_ROOT`."""
    folder = tmp_path_factory.mktemp("static")
    with override_settings(STATIC_ROOT=str(folder)):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


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
    for each in caches.all():
        each.clear()
    time_limited.clear_all()
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
            for number in hot_tables.SETS:
                schema = hot_tables.schema(number)
                cursor.execute("SELECT to_regclass(%s) IS NOT NULL", [f"{schema}.staged_upload"])
                if cursor.fetchone()[0]:
                    cursor.execute(load("empty_staging_tables.sql", schema))
