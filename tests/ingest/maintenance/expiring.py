"""Documents that expire, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from io import StringIO

from django.core.management import call_command
from django.db import connections

from ingest import lifecycle
from ingest.intake import spool
from ingest.maintenance import rebuild_tables, retention
from ingest.models import Upload
from tests.ingest.factories import document, loot, mob, zone
from tests.ingest.pipeline import RECEIVED

ALIAS = "map_deDE"
LONG_AGO = RECEIVED + timedelta(days=30)


def forget_base() -> None:
    """Empty the baseline: flushing a test database leaves what lies outside Django's models."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(f'baseline.{table}' for table in rebuild_tables.KEYS)}")


def xml(number: int) -> bytes:
    return document(mob(zone(f"1/1,{number % 100}/2,"), max=40 + number), loot())


def command(name: str, *arguments: str) -> str:
    """Return what a command says."""
    out = StringIO()
    call_command(name, *arguments, stdout=out)
    return out.getvalue()


def expire_these(uploads: Sequence[Upload]) -> None:
    """Let the documents of some uploads expire, and of no others."""
    marked = lifecycle.expire(retention.due("deDE", LONG_AGO), [upload.id for upload in uploads])
    assert retention._finish("deDE", marked) == len(uploads)


def files() -> list[str]:
    """Return the names of the files in the archive."""
    archive = spool.archive()
    return [name for folder in archive.listdir("")[0] for name in archive.listdir(folder)[1]]
