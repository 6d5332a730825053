"""Taking uploads out of the map while others are being merged: nobody waits for documents, and the counts are exact."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from struct import unpack
from typing import Any

import pytest
from django.db import connections

from core.locks import Lock
from ingest import lifecycle
from ingest.batch import read
from ingest.maintenance import withdrawals
from ingest.maintenance.subtract import subtract
from ingest.models import Upload
from tests.ingest.factories import day, document, mob, zone
from tests.ingest.pipeline import RECEIVED, empty, rows, tables, take, work_off
from tests.threads import elsewhere

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]
ALIAS = "map_deDE"


def take_out(upload: Upload) -> None:
    lifecycle.withdraw([upload.id])
    withdrawals.finish_pending("deDE")


def counted() -> dict[str, list[tuple[Any, ...]]]:
    """Return the merged tables without what a withdrawal leaves behind on purpose: names in the dictionaries."""
    return {name: table for name, table in tables().items() if name != "shown_as"}


def seen_on(no: int, sender: str = "player:1", more: str = "") -> Upload:
    """Take an upload that saw one coordinate on a day of its own, as the others of its sender did."""
    text = document(mob(zone(f"1/1,{more}"), max=40 + no, date=day(2024, 10, 4 + no)))
    return take(text, sender, RECEIVED + timedelta(days=no))


@pytest.fixture
def while_reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Call what a test puts into the list, once each, whenever a document is being opened for a subtraction."""
    todo: list[Any] = []
    opened = read._open_if_available

    def interrupted(no: int, upload: Upload) -> Any:
        if todo:
            todo.pop(0)(upload)
        return opened(no, upload)

    monkeypatch.setattr(read, "_open_if_available", interrupted)
    yield todo


def test_folds_go_on_while_documents_are_read(while_reading):
    uploads = [seen_on(no) for no in range(4)]
    work_off()
    free: list[bool] = []
    other = connections.create_connection(ALIAS)

    def try_the_fold_lock(upload: Upload) -> None:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, 0)", [Lock.FOLD])
            free.append(cursor.fetchone()[0])
            cursor.execute("SELECT pg_advisory_unlock(%s, 0)", [Lock.FOLD])
            # What a fold does to the hot tables it has read must not wait for a reader either.
            cursor.execute("SET lock_timeout = '1s'")
            cursor.execute("TRUNCATE hot_0.staged_upload, hot_1.staged_upload")

    while_reading += [try_the_fold_lock] * 10
    try:
        take_out(uploads[0])
    finally:
        other.close()
    assert free == [True] * 4, "its own document, then those of the same sender"
    [(seen_when, positions)] = rows("SELECT seen_when, position_count FROM habitat")
    assert (unpack(">3i", seen_when)[0], positions) == (3, 1)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_what_is_merged_while_documents_are_read_is_reckoned_with(while_reading, at):
    """Whenever it comes: before the first document is opened, or between those of the same sender."""
    uploads = [seen_on(no) for no in (1, 2, 3)]
    work_off()
    later = seen_on(0, more="5/5,")

    def merge_it(upload: Upload) -> None:
        elsewhere(work_off)

    while_reading += [lambda upload: None] * at + [merge_it]
    take_out(uploads[0])
    later.refresh_from_db()
    assert later.status == "merged"
    found = counted()
    empty()
    for no in (2, 3):
        seen_on(no)
    seen_on(0, more="5/5,")
    work_off()
    assert found == counted()


def test_days_are_told_by_what_was_merged_after_the_others_were_looked_for(while_reading):
    uploads = [seen_on(no) for no in (0, 2, 3)]
    work_off()
    later = seen_on(1)

    def merge_it(upload: Upload) -> None:
        elsewhere(work_off)

    while_reading += [lambda upload: None, merge_it]
    take_out(uploads[0])
    later.refresh_from_db()
    assert later.status == "merged"
    found = counted()
    empty()
    for no in (1, 2, 3):
        seen_on(no)
    work_off()
    assert found == counted()


def test_what_is_subtracted_by_somebody_else_meanwhile_is_subtracted_once(while_reading):
    uploads = [seen_on(no) for no in range(4)]
    work_off()
    lifecycle.withdraw([uploads[0].id])
    [first] = lifecycle.withdrawal_pending("deDE")

    def be_faster(upload: Upload) -> None:
        elsewhere(lambda: subtract(ALIAS, [first]))
        elsewhere(lambda: subtract(ALIAS, [uploads[3]]))

    while_reading.append(be_faster)
    subtract(ALIAS, [first])
    found = counted()
    empty()
    for no in (1, 2):
        seen_on(no)
    work_off()
    assert found == counted()
