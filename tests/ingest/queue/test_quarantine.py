"""What can't be merged by its content is singled out and set aside; everything else is merged meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError, connections
from django.utils import timezone

from core.locks import Lock
from ingest import lifecycle
from ingest.batch import columns as parsing
from ingest.intake import spool
from ingest.maintenance.withdrawals import finish_pending
from ingest.merge import fold as folding
from ingest.merge.fold import TRIES
from ingest.models import LocaleControl, Upload
from ingest.queue import bisection, outcomes, quarantine, tasks
from ingest.queue import worker as working
from ingest.queue.quarantine import ALONE, GIVEN_UP
from tests.ingest.factories import document, mob, zone
from tests.ingest.pipeline import RECEIVED, empty, merge, rows, stage_all, tables, take, work_off

ALIAS = "map_deDE"
pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]
#: The level that PostgreSQL is told to refuse.
REFUSED = 99


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what failed be tried again at once."""
    monkeypatch.setattr(quarantine, "FIRST_WAIT_S", 0)


@pytest.fixture
def refusal() -> Iterator[Callable[[str], None]]:
    """Let PostgreSQL refuse creatures of a certain level when they are merged, with an error code of choice."""

    def refuse(code: str) -> None:
        with connections[ALIAS].cursor() as cursor:
            cursor.execute(
                "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                f" IF NEW.level_max = {REFUSED} THEN"
                f" RAISE EXCEPTION 'level {REFUSED} is refused' USING ERRCODE = '{code}'; END IF; RETURN NEW; END $$"
            )
            cursor.execute(
                "CREATE OR REPLACE TRIGGER refuse BEFORE INSERT OR UPDATE ON creature"
                " FOR EACH ROW EXECUTE FUNCTION refuse()"
            )

    yield refuse
    accept_all()


def accept_all() -> None:
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("DROP TRIGGER IF EXISTS refuse ON creature")


def xml(number: int, level: int = 30) -> bytes:
    return document(mob(zone(f"1/1,{number % 100}/2,"), id=1 + number, min=1, max=level))


def sent(count: int, bad: tuple[int, ...] = ()) -> list[Upload]:
    now = timezone.now()
    return [take(xml(number, REFUSED if number in bad else 30), received_at=now) for number in range(count)]


def states() -> dict[str, int]:
    found: dict[str, int] = {}
    for status in Upload.objects.values_list("status", flat=True):
        found[status] = found.get(status, 0) + 1
    return found


def tries() -> int:
    [(count,)] = rows("SELECT tries FROM hot_state")
    return int(count)


def try_all(limit: int = 100) -> int:
    """Try suspects until none is left; returns how many groups that took."""
    for groups in range(limit):
        if not bisection.merge_next_group("deDE", "wake-up"):
            return groups
    pytest.fail(f"{limit} groups were not enough")


def fail_folding(times: int, *errors: type[BaseException]) -> None:
    for _ in range(times):
        with pytest.raises(errors or Exception):
            working.fold_staged("deDE")


# --- one bad upload among many ----------------------------------------------------------------------
def test_one_upload_that_can_never_be_folded_is_set_aside_and_all_others_are_merged(refusal):
    refusal("22003")
    uploads = sent(100, bad=(37,))
    stage_all()
    fail_folding(TRIES)
    assert states() == {"staged": 100}
    assert working.fold_staged("deDE") == 0
    assert states() == {"queued": 100}
    groups = try_all()
    assert states() == {"merged": 99, "rejected": 1}
    assert groups <= 17, "quarters: so many groups at most"
    rejected = Upload.objects.get(status="rejected")
    assert rejected.id == uploads[37].id
    assert f"level {REFUSED} is refused" in rejected.reason
    assert (rejected.rejected_at is not None, rejected.archived, rejected.lease_until) == (True, True, None)
    assert rows("SELECT count(*) FROM creature") == [(99,)]
    assert rows("SELECT count(*) FROM ledger") == [(99,)]
    assert set(Upload.objects.filter(status="merged").values_list("quarantine_step", "reason")) == {(0, "")}


def test_what_comes_meanwhile_is_merged_as_ever(refusal):
    refusal("22003")
    sent(3, bad=(1,))
    stage_all()
    fail_folding(TRIES)
    working.fold_staged("deDE")
    [later] = merge(xml(50), sender="player:2")
    assert later.status == "merged"
    try_all()
    assert states() == {"merged": 3, "rejected": 1}


def test_the_tasks_alone_get_past_it(refusal):
    refusal("23514")
    sent(5, bad=(2,))
    for _ in range(60):
        with connections[ALIAS].cursor() as cursor:
            cursor.execute("UPDATE hot_state SET folded_at = now() - interval '1 minute'")
        tasks.work.apply(args=["deDE"])
    assert states() == {"merged": 4, "rejected": 1}


def test_several_bad_uploads_are_all_found(refusal):
    refusal("22003")
    bad = (0, 7, 8, 29)
    uploads = sent(30, bad)
    stage_all()
    fail_folding(TRIES)
    working.fold_staged("deDE")
    try_all()
    assert states() == {"merged": 26, "rejected": 4}
    assert set(Upload.objects.filter(status="rejected").values_list("id", flat=True)) == {uploads[n].id for n in bad}


def test_it_can_be_tried_again_once_the_cause_is_gone(refusal):
    refusal("22003")
    sent(2, bad=(1,))
    stage_all()
    fail_folding(TRIES)
    work_off()
    rejected = Upload.objects.get(status="rejected")
    assert lifecycle.retry(rejected)
    rejected.refresh_from_db()
    assert (rejected.status, rejected.quarantine_step) == ("queued", 1), "apart from the others: it may fail once more"
    accept_all()
    work_off()
    assert states() == {"merged": 2}


def test_a_receipt_says_what_happens_to_it(refusal, client):
    refusal("22003")
    [good, bad] = sent(2, bad=(1,))
    stage_all()
    fail_folding(TRIES)
    working.fold_staged("deDE")
    shown = client.get(f"/api/v1/uploads/{good.id}").json()
    assert (shown["status"], "merged apart" in shown["reason"]) == ("queued", True)
    try_all()
    shown = client.get(f"/api/v1/uploads/{bad.id}").json()
    assert (shown["status"], "could not be merged" in shown["reason"]) == ("rejected", True)
    assert "rejected_at" in shown


# --- what is no upload's fault ----------------------------------------------------------------------
@pytest.mark.parametrize("code", ["53100", "40P01", "55P03", "57014"])
def test_a_fault_of_the_machine_does_not_count_however_often(refusal, code):
    refusal(code)
    sent(3, bad=(1,))
    stage_all()
    fail_folding(2 * TRIES)
    assert (states(), tries()) == ({"staged": 3}, 0)
    accept_all()
    assert working.fold_staged("deDE") == 3


def test_a_fault_of_the_machine_while_tried_apart_keeps_the_step(refusal):
    refusal("53100")
    sent(3, bad=(1,))
    Upload.objects.update(quarantine_step=2)
    assert bisection.merge_next_group("deDE", "wake-up") == 3
    assert set(Upload.objects.values_list("status", "quarantine_step")) == {("queued", 2)}
    assert Upload.objects.filter(retry_at__gt=timezone.now()).count() == 3
    accept_all()
    Upload.objects.update(retry_at=None)
    try_all()
    assert states() == {"merged": 3}


def test_a_connection_that_is_lost_in_a_fold_loses_and_rejects_nothing(monkeypatch):
    sent(3)
    stage_all()
    fold_from = folding.fold_from

    def cut_off(cursor: Any, **where: Any) -> Any:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return fold_from(cursor, **where)

    with monkeypatch.context() as cut:
        cut.setattr(folding, "fold_from", cut_off)
        for _ in range(TRIES + 1):
            with pytest.raises((OperationalError, InterfaceError)):
                working.fold_staged("deDE")
            connections[ALIAS].close()
    assert tries() == 0
    assert working.fold_staged("deDE") == 3


def test_a_missing_document_does_not_hold_up_those_tried_with_it(own_spool):
    uploads = sent(3)
    spool.spool().delete(uploads[1].document_name)
    Upload.objects.update(quarantine_step=1)
    bisection.merge_next_group("deDE", "wake-up")
    assert states() == {"merged": 2, "queued": 1}
    left = Upload.objects.get(status="queued")
    assert (left.quarantine_step, left.retry_at is not None, left.lease_until) == (1, True, None)
    assert "is not in the archive" in left.reason


# --- workers that die -------------------------------------------------------------------------------
def die(*args: object, **options: object) -> None:
    """Stand for a process that is killed: nothing catches this on its way out."""
    raise SystemExit


def test_folds_that_kill_their_worker_are_counted(monkeypatch):
    sent(3)
    stage_all()
    with monkeypatch.context() as crash:
        crash.setattr(folding, "fold_from", die)
        fail_folding(TRIES, SystemExit)
    assert tries() == TRIES
    assert working.fold_staged("deDE") == 0
    assert (states(), tries()) == ({"queued": 3}, 0)
    try_all()
    assert states() == {"merged": 3}


def test_an_upload_that_kills_every_worker_is_set_aside(monkeypatch):
    [upload] = sent(1)
    Upload.objects.update(quarantine_step=1)
    with monkeypatch.context() as crash:
        crash.setattr(bisection, "fold_from", die)
        for _ in range(GIVEN_UP - ALONE):
            with pytest.raises(SystemExit):
                bisection.merge_next_group("deDE", "wake-up")
    assert try_all() == 1
    upload.refresh_from_db()
    assert (upload.status, "No worker survived" in upload.reason) == ("rejected", True)


def test_a_document_that_kills_its_reader_is_set_aside_and_the_others_are_merged(monkeypatch):
    uploads = sent(6)
    collect = parsing.XmlColumns.collect

    def killed(elements: Any, stream: Any, no: int, version: int) -> None:
        text = stream.read(1 << 20)
        if b'blizzid="4"' in text:
            raise SystemExit
        collect(elements, BytesIO(text), no, version)

    monkeypatch.setattr(parsing.XmlColumns, "collect", killed)
    for _ in range(60):
        Upload.objects.filter(status="queued").update(lease_until=None)  # the leases of the dead have run out
        for step in (working.stage_batch, bisection.merge_next_group):
            with suppress(SystemExit):
                step("deDE", "wake-up")
        working.fold_staged("deDE")
    assert states() == {"merged": 5, "rejected": 1}
    assert Upload.objects.get(status="rejected").id == uploads[3].id


@pytest.mark.parametrize("error", [TypeError, MemoryError, quarantine.PanicException])
def test_a_bug_that_one_document_meets_stops_no_other(monkeypatch, error):
    uploads = sent(20)
    mobs = parsing._mobs

    def broken(columns: Any, batch: Any) -> Any:
        if 8 in columns.mobs[1::6]:  # ids
            raise error("a bug")
        return mobs(columns, batch)

    monkeypatch.setattr(parsing, "_mobs", broken)
    work_off()
    assert states() == {"merged": 19, "rejected": 1}
    rejected = Upload.objects.get(status="rejected")
    assert rejected.id == uploads[7].id
    assert "a bug" in rejected.reason


# --- beside everything else -------------------------------------------------------------------------
def test_a_group_is_tried_by_one_worker_and_not_while_a_fold_is_at_work():
    sent(2)
    Upload.objects.update(quarantine_step=1)
    other = connections.create_connection(ALIAS)
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, 0)", [Lock.FOLD])
        assert bisection.merge_next_group("deDE", "wake-up") == 0
    finally:
        other.close()
    assert set(Upload.objects.values_list("quarantine_step", flat=True)) == {1}
    assert bisection.merge_next_group("deDE", "wake-up") == 2


def test_a_paused_locale_is_not_tried_either():
    sent(1)
    Upload.objects.update(quarantine_step=1)
    LocaleControl.objects.create(locale="deDE", work_paused=True)
    assert bisection.merge_next_group("deDE", "wake-up") == 0


def test_groups_are_bounded_by_what_a_worker_reads_at_once(settings):
    uploads = sent(3)
    Upload.objects.update(quarantine_step=1)
    settings.BATCH_MAX_BYTES = uploads[0].size_bytes + uploads[1].size_bytes
    assert len(quarantine.claim("deDE", "a").uploads) == 2
    assert len(quarantine.claim("deDE", "b").uploads) == 1
    assert quarantine.claim("deDE", "c").uploads == []


def test_what_was_merged_all_the_same_is_told_so():
    [upload] = merge(xml(1))
    Upload.objects.update(status="queued", quarantine_step=2, merged_at=None, contribution=None)
    assert bisection.merge_next_group("deDE", "wake-up") == 1
    upload.refresh_from_db()
    assert (upload.status, upload.quarantine_step) == ("merged", 0)
    assert rows("SELECT count(*) FROM ledger") == [(1,)]


def test_what_proves_unreadable_is_rejected_and_the_rest_of_its_group_merged(own_spool):
    uploads = sent(3)
    Upload.objects.update(quarantine_step=1)
    (own_spool / "spool" / uploads[1].document_name).write_bytes(b"")
    free: list[bool] = []
    reject = outcomes.reject

    def note_the_lock(upload: Upload, reason: str) -> None:
        other = connections.create_connection(ALIAS)
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s, 0)", [Lock.FOLD])
            free.append(cursor.fetchone()[0])
        other.close()
        reject(upload, reason)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(outcomes, "reject", note_the_lock)
        try_all()
    assert states() == {"merged": 2, "rejected": 1}
    assert free == [True], "rows are changed without the fold lock, for which a withdrawal waits with its rows locked"


def test_a_withdrawn_suspect_is_never_merged():
    uploads = sent(2)
    Upload.objects.update(quarantine_step=1)
    lifecycle.withdraw([uploads[0].id])
    assert finish_pending("deDE") == 1
    try_all()
    assert states() == {"merged": 1, "withdrawn": 1}


def test_tried_apart_or_together_the_tables_are_the_same():
    documents = [xml(number % 7, 30 + number) for number in range(40)]
    for no, text in enumerate(documents):
        take(text, f"player:{no % 3}", RECEIVED)
    work_off()
    together = tables()
    empty()
    for no, text in enumerate(documents):
        take(text, f"player:{no % 3}", RECEIVED)
    for step, upload in enumerate(Upload.objects.order_by("id")):
        Upload.objects.filter(id=upload.id).update(quarantine_step=step % GIVEN_UP)
    work_off()
    assert tables() == together
