"""What a claim costs: it looks at what waits, not at all uploads there are."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from ingest.intake import spool
from ingest.lifecycle import claim
from ingest.models import Upload

pytestmark = pytest.mark.django_db(databases="__all__")

UPLOADS = 5_000


def test_a_claim_walks_the_index_of_what_waits():
    """The planner is told of a queue in which locales take turns: by age it would be one walk over neighbours."""
    now = timezone.now()
    Upload.objects.bulk_create(_row(number, now + timedelta(seconds=number)) for number in range(UPLOADS))
    plans: list[str] = []

    def explained(execute, statement, parameters, many, context):
        if "WITH waiting" in statement and not statement.startswith("EXPLAIN"):
            context["cursor"].execute("EXPLAIN " + statement, parameters)
            plans.extend(row[0] for row in context["cursor"].fetchall())
        return execute(statement, parameters, many, context)

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE ingest_upload")
    with connection.execute_wrapper(explained):
        assert claim("deDE", "a-claim")
    scans = [line for line in plans if "Index Scan" in line and " u " not in line]
    assert len(scans) == 1
    assert "upload_queued" in scans[0]


def _row(number: int, received_at) -> Upload:
    name = uuid4()
    return Upload(
        id=name,
        locale=("deDE", "enUS")[number % 2],
        content_hash=name.bytes * 2,
        version=44,
        sender="player:1",
        size_bytes=100,
        document_name=spool.document_name(str(name)),
        mobs=1,
        positions=1,
        lootings=0,
        received_at=received_at,
    )
