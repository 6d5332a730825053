"""The roles' privileges, as PostgreSQL itself sees them after deploy/*.sql ran on the real tables."""

from __future__ import annotations

import re

import pytest
from django.db import connections, transaction

from deploy.steps.folders import CHECKOUT

DEPLOY = CHECKOUT / "deploy"

pytestmark = pytest.mark.django_db(databases="__all__")


def _apply(cursor, name):
    """Run one of the files; psql's own commands are done here: \\gexec runs what a query returned."""
    text = re.sub(r"^(--.*|\\set .*|BEGIN;|COMMIT;)$", "", (DEPLOY / name).read_text(), flags=re.MULTILINE)
    text = re.sub(r"PASSWORD :'\w+'", "PASSWORD 'for-tests'", text)
    for statement in re.split(r";|(?<=\\gexec)", text):
        if not statement.strip():
            continue
        query = statement.replace("\\gexec", "")
        cursor.execute(query)
        if query != statement:
            for (generated,) in cursor.fetchall():
                cursor.execute(generated)


@pytest.fixture
def portal():
    """Apply the files in a transaction that is rolled back: roles belong to the whole server."""
    with transaction.atomic("default"), connections["default"].cursor() as cursor:
        _apply(cursor, "roles.sql")
        _apply(cursor, "grants-portal.sql")
        yield cursor


@pytest.fixture
def locale():
    with transaction.atomic("map_deDE"), connections["map_deDE"].cursor() as cursor:
        _apply(cursor, "roles.sql")
        _apply(cursor, "grants-locale.sql")
        yield cursor


def _allowed(cursor, role, table):
    privileges = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"]
    cursor.execute(
        "SELECT " + ", ".join(f"has_table_privilege(%(role)s, %(table)s, '{one}')" for one in privileges),
        {"role": role, "table": table},
    )
    return {name for name, allowed in zip(privileges, cursor.fetchone(), strict=True) if allowed}


ROWS = {"SELECT", "INSERT", "UPDATE", "DELETE"}


@pytest.mark.parametrize("table", ["portal_token", "auth_user", "ingest_upload", "django_session"])
def test_the_web_server_reads_and_writes_the_portals_rows(portal, table):
    assert _allowed(portal, "mobmap_web", table) == ROWS


def test_workers_see_uploads_and_pauses(portal):
    assert _allowed(portal, "mobmap_ingest", "ingest_upload") == ROWS
    assert _allowed(portal, "mobmap_ingest", "ingest_localecontrol") == {"SELECT"}


@pytest.mark.parametrize("table", ["portal_token", "portal_player", "portal_refusal", "auth_user", "django_session"])
def test_workers_see_no_accounts(portal, table):
    assert _allowed(portal, "mobmap_ingest", table) == set()


@pytest.mark.parametrize("table", ["habitat", "ledger", "zone", "item"])
def test_the_web_server_only_reads_merged_data(locale, table):
    assert _allowed(locale, "mobmap_web", table) == {"SELECT"}


@pytest.mark.parametrize("table", ["habitat", "ledger", "zone", "spawn", "stale_spawns", "changed_count", "stale_file"])
def test_workers_read_and_write_merged_data(locale, table):
    assert _allowed(locale, "mobmap_ingest", table) == ROWS


def test_only_workers_create_tables(locale):
    locale.execute(
        "SELECT has_schema_privilege('mobmap_ingest', 'public', 'CREATE'), "
        "has_database_privilege('mobmap_ingest', current_database(), 'TEMPORARY'), "
        "has_schema_privilege('mobmap_web', 'public', 'CREATE'), "
        "has_database_privilege('mobmap_web', current_database(), 'TEMPORARY')"
    )
    assert locale.fetchone() == (True, True, False, False)


def test_nobody_but_the_owner_migrates(portal):
    assert _allowed(portal, "mobmap_web", "django_migrations") == {"SELECT"}
    assert _allowed(portal, "mobmap_ingest", "django_migrations") == set()
