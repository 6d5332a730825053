"""Claims, and what happens when a worker, a document or the database fails between two steps."""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import OperationalError, connections
from django.utils import timezone

from core import locales
from ingest import lifecycle, wake
from ingest.intake import spool
from ingest.lifecycle import claim, locales_with_work
from ingest.merge import ledger
from ingest.models import LocaleControl, Upload
from ingest.queue import outcomes, pacing, quarantine, tasks, turn
from ingest.queue import worker as module
from ingest.queue.worker import fold_staged, recover, stage_batch
from maps.publish.run import has_changes, publish
from tests.ingest.factories import document, mob, zone
from tests.ingest.pipeline import rows, stage_all, take, work_off

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]


def xml(number: int) -> bytes:
    return document(mob(zone(f"1/1,{number % 100}/2,"), max=40 + number))


def taken(count: int) -> list[Upload]:
    return [take(xml(number), received_at=timezone.now()) for number in range(count)]


def sightings() -> int:
    [(total,)] = rows("SELECT coalesce(sum(sighting_count), 0) FROM habitat")
    return int(total)


def states() -> dict[str, int]:
    found: dict[str, int] = {}
    for status in Upload.objects.values_list("status", flat=True):
        found[status] = found.get(status, 0) + 1
    return found


def die(*args: object) -> None:
    """Stand for a process that is killed: nothing catches this on its way out."""
    raise SystemExit


# --- claims -----------------------------------------------------------------------------------------
def test_the_longest_waiting_are_claimed_first_up_to_a_batch(settings):
    settings.BATCH_MAX_UPLOADS = 2
    uploads = taken(3)
    assert claim("deDE", "a") == uploads[:2]
    assert claim("deDE", "b") == uploads[2:]
    assert claim("deDE", "c") == []


def test_a_batch_ends_at_its_bytes_but_takes_one_in_any_case(settings):
    uploads = taken(3)
    settings.BATCH_MAX_BYTES = uploads[0].size_bytes + uploads[1].size_bytes
    assert claim("deDE", "a") == uploads[:2]
    settings.BATCH_MAX_BYTES = 1
    assert claim("deDE", "b") == uploads[2:]


def test_claims_at_once_never_overlap(settings):
    settings.BATCH_MAX_UPLOADS = 5
    uploads = taken(40)
    claimed: list[list[Upload]] = []
    together = Barrier(8)

    def claim_in_thread(name: str) -> None:
        try:
            together.wait(120)
            while batch := claim("deDE", f"{name}-{len(claimed)}"):
                claimed.append(batch)
        finally:
            connections.close_all()

    threads = [Thread(target=claim_in_thread, args=(f"worker-{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ids = [upload.id for batch in claimed for upload in batch]
    assert sorted(ids) == sorted(upload.id for upload in uploads)


def test_a_wake_up_that_is_delivered_again_gets_its_own_claims_back():
    uploads = taken(2)
    assert claim("deDE", "a") == uploads
    assert claim("deDE", "b") == []
    assert claim("deDE", "a") == uploads
    assert set(Upload.objects.values_list("attempts", flat=True)) == {2}


def test_a_claim_whose_lease_ran_out_is_free(settings):
    uploads = taken(2)
    claim("deDE", "a")
    assert locales_with_work(locales.hosted()) == []
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert locales_with_work(locales.hosted()) == ["deDE"]
    assert claim("deDE", "b") == uploads


def test_a_claim_is_of_one_locale():
    take(document(mob(), language="enUS"))
    assert claim("deDE", "a") == []
    assert len(claim("enUS", "a")) == 1


def test_an_upload_that_keeps_failing_is_tried_apart_after_its_last_try_with_the_others():
    uploads = taken(3)
    Upload.objects.filter(id=uploads[1].id).update(attempts=lifecycle.MAX_SHARED_TRIES - 1)
    assert claim("deDE", "a") == uploads
    Upload.objects.update(lease_until=None)  # each of them failed
    assert claim("deDE", "b") == [uploads[0], uploads[2]]
    assert quarantine.claim("deDE", "b").uploads == [uploads[1].id]


def test_tries_are_counted_up_to_what_the_column_holds():
    [upload] = taken(1)
    Upload.objects.update(attempts=32767)
    assert claim("deDE", "a") == [upload]


def test_what_waits_for_another_try_is_left_alone_until_then():
    [upload] = taken(1)
    Upload.objects.update(retry_at=timezone.now() + timedelta(seconds=60))
    assert claim("deDE", "a") == []
    assert locales_with_work(locales.hosted()) == []
    Upload.objects.update(retry_at=timezone.now() - timedelta(seconds=1))
    assert claim("deDE", "a") == [upload]


@pytest.mark.parametrize("held", ["retry_at", "lease_until"])
def test_a_time_written_before_the_clock_was_set_back_holds_nothing(held):
    [upload] = taken(1)
    Upload.objects.update(**{held: timezone.now() + timedelta(days=1)})
    assert locales_with_work(locales.hosted()) == ["deDE"]
    assert claim("deDE", "a") == [upload]


def test_what_was_staged_before_the_clock_was_set_back_is_recovered():
    taken(1)
    Upload.objects.update(status="staged", staged_at=timezone.now() + timedelta(days=1))
    assert recover("deDE") == 1
    assert states() == {"queued": 1}


def test_a_paused_locale_is_not_worked_on_and_loses_nothing():
    taken(2)
    control = LocaleControl.objects.create(locale="deDE", work_paused=True)
    assert stage_batch("deDE", "a") == 0
    assert states() == {"queued": 2}
    control.delete()
    work_off()
    assert states() == {"merged": 2}


# --- failures between the steps ---------------------------------------------------------------------
def test_what_is_merged_has_its_receipt_and_lies_in_the_archive():
    [upload] = taken(1)
    work_off()
    upload.refresh_from_db()
    assert (upload.status, upload.archived, upload.lease_until, upload.reason) == ("merged", True, None, "")
    assert upload.merged_at is not None
    assert spool.archive().exists(upload.document_name)
    assert not spool.spool().exists(upload.document_name)


def test_a_crash_between_the_merge_and_the_receipts_merges_once(monkeypatch):
    taken(3)
    stage_all()
    with monkeypatch.context() as crash:
        crash.setattr(outcomes, "record_merged", die)
        with pytest.raises(SystemExit):
            fold_staged("deDE")
    assert (states(), sightings()) == ({"staged": 3}, 6)
    Upload.objects.update(staged_at=timezone.now() - timedelta(minutes=1))
    assert recover("deDE") == 0
    assert (states(), sightings()) == ({"merged": 3}, 6)
    assert all(upload.contribution for upload in Upload.objects.all())


def test_a_crash_between_staging_and_its_row_stages_again_and_merges_once(monkeypatch):
    taken(3)
    with monkeypatch.context() as crash:
        staging = module.stage
        crash.setattr(module, "stage", lambda *args: (staging(*args), die()))
        with pytest.raises(SystemExit):
            stage_batch("deDE", "a")
    assert states() == {"queued": 3}
    assert stage_batch("deDE", "a") == 3
    while fold_staged("deDE"):
        pass
    assert (states(), sightings()) == ({"merged": 3}, 6)


def test_a_crash_before_the_archive_is_finished_by_the_next_round(monkeypatch):
    [upload] = taken(1)
    stage_all()
    with monkeypatch.context() as crash:
        crash.setattr(outcomes, "archive", die)
        with pytest.raises(SystemExit):
            fold_staged("deDE")
    assert states() == {"merged": 1}
    tasks.clean_up()
    upload.refresh_from_db()
    assert upload.archived
    assert sightings() == 2


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_an_unreadable_document_is_rejected_with_the_reason_while_its_batch_goes_on(own_spool, damage):
    uploads = taken(3)
    path = own_spool / "spool" / uploads[1].document_name
    stored = bytearray(path.read_bytes())
    if damage == "cut":
        stored = stored[: len(stored) // 2]
    elif damage == "flipped":
        stored[len(stored) // 2] ^= 0xFF
    else:
        stored.clear()
    path.write_bytes(stored)
    work_off()
    assert states() == {"merged": 2, "rejected": 1}
    rejected = Upload.objects.get(status="rejected")
    assert rejected.id == uploads[1].id
    assert rejected.reason
    assert (rejected.rejected_at is not None, rejected.archived) == (True, True)
    assert sightings() == 4


def test_a_database_error_postpones_the_batch_longer_every_time(monkeypatch):
    taken(2)

    def broken(*args: object) -> None:
        raise OperationalError("the locale's database is away")

    with monkeypatch.context() as away:
        away.setattr(module, "stage", broken)
        waits = []
        for _ in range(3):
            Upload.objects.update(retry_at=None)
            assert stage_batch("deDE", "a") > 0
            upload = Upload.objects.order_by("received_at").first()
            assert upload is not None and upload.retry_at is not None
            waits.append(round((upload.retry_at - timezone.now()).total_seconds()))
            assert upload.lease_until is None
            assert "OperationalError: the locale's database is away" in upload.reason
    assert waits == [2, 4, 8]
    Upload.objects.update(retry_at=None)
    work_off()
    assert states() == {"merged": 2}
    assert set(Upload.objects.values_list("reason", flat=True)) == {""}


def test_an_error_within_copy_postpones_the_batch_too():
    taken(1)
    work_off()
    with connections["map_deDE"].cursor() as cursor:
        cursor.execute("ALTER TABLE hot_0.staged_position ADD COLUMN surprise int NOT NULL")
        cursor.execute("ALTER TABLE hot_1.staged_position ADD COLUMN surprise int NOT NULL")
    upload = take(xml(50))
    assert stage_batch("deDE", "a") == 1
    upload.refresh_from_db()
    assert (upload.status, upload.lease_until, upload.retry_at is None) == ("queued", None, False)


def test_a_ledger_that_cannot_be_asked_postpones_the_batch(monkeypatch):
    taken(1)

    def away(*args: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(ledger, "find", away)
    assert stage_batch("deDE", "a") == 1
    assert Upload.objects.get().retry_at is not None


def test_a_document_that_was_moved_without_saying_so_is_found():
    uploads = taken(2)
    assert spool.move_to_archive([upload.document_name for upload in uploads]) == {}
    Upload.objects.filter(id=uploads[1].id).update(archived=True)
    work_off()
    assert states() == {"merged": 2}


def test_a_missing_document_waits_and_does_not_hold_the_others_for_long(own_spool):
    uploads = taken(2)
    spool.spool().delete(uploads[0].document_name)
    for _ in range(lifecycle.MAX_SHARED_TRIES + 1):
        Upload.objects.update(retry_at=None)
        work_off()
    assert states() == {"queued": 1, "merged": 1}
    assert "is not in the archive" in Upload.objects.get(status="queued").reason


def test_two_workers_on_the_same_claims_merge_once():
    uploads = taken(10)
    together = Barrier(3)

    def work_in_thread() -> None:
        try:
            together.wait(120)
            stage_batch("deDE", "the same wake-up")
        finally:
            connections.close_all()

    threads = [Thread(target=work_in_thread) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work_off()
    assert (states(), sightings()) == ({"merged": len(uploads)}, 20)


# --- wake-ups ---------------------------------------------------------------------------------------
def last_fold(ago: str) -> None:
    with connections["map_deDE"].cursor() as cursor:
        cursor.execute("UPDATE hot_state SET folded_at = now() - %s::interval", [ago])


def test_the_sweep_wakes_for_waiting_uploads_and_for_unpublished_changes(sent):
    tasks.sweep()
    assert sent == []
    taken(1)
    tasks.sweep()
    assert sent == ["deDE"]
    stage_all()
    sent.clear()
    tasks.sweep()
    assert sent == ["deDE"]
    work_off()
    sent.clear()
    tasks.sweep()
    assert sent == ["deDE"]
    publish("map_deDE")
    sent.clear()
    tasks.sweep()
    assert sent == []
    assert rows("SELECT count(*) FROM spawn") == [(2,)]


def test_a_worker_passes_the_wake_up_on_when_its_turn_is_over(monkeypatch, settings, sent):
    settings.BATCH_MAX_UPLOADS = 1
    monkeypatch.setattr(turn, "TURN_S", 0.0)
    taken(3)
    tasks.work.apply(args=["deDE"], throw=True)
    assert states()["queued"] >= 2
    assert sent == ["deDE"]


def test_publishing_that_takes_longer_than_a_turn_goes_on_in_the_next(monkeypatch, sent):
    monkeypatch.setattr(turn, "PUBLISH_S", 0.0)
    monkeypatch.setattr("maps.publish.spawn_points.MAX_PAIRS", 1)
    for creature in (1, 2, 3):
        take(document(mob(zone(), id=creature, name=f"Kodo {creature}")), received_at=timezone.now())
    last_fold("1 minute")
    tasks.work.apply(args=["deDE"], throw=True)
    assert sent == ["deDE"]
    elsewhere = take(document(mob(zone(), id=1), language="enUS"), received_at=timezone.now())
    sent.clear()
    tasks.work.apply(args=["deDE"], throw=True)
    assert (sent, has_changes("map_deDE")) == ([], True), "another locale's uploads come first; the sweep stands behind"
    elsewhere.delete()
    sent.append("deDE")
    while sent:
        sent.clear()
        tasks.work.apply(args=["deDE"], throw=True)
    assert rows("SELECT count(DISTINCT mob) FROM spawn") == [(3,)]
    assert not has_changes("map_deDE")


def test_one_wake_up_brings_an_upload_onto_the_map(monkeypatch, sent):
    monkeypatch.setattr(turn, "PUBLISH_S", 60.0)
    taken(3)
    last_fold("1 minute")
    tasks.work.apply(args=["deDE"], throw=True)
    assert states() == {"merged": 3}
    assert rows("SELECT count(*) > 0 FROM spawn") == [(True,)]
    assert sent == []


def test_what_is_staged_right_after_a_fold_is_merged_when_the_next_one_is_due(monkeypatch, sent):
    later: list[tuple[str, float]] = []
    monkeypatch.setattr(turn, "PUBLISH_S", 60.0)
    monkeypatch.setattr(pacing, "FOLD_GAP_IDLE", timedelta(seconds=60))
    monkeypatch.setattr(wake, "wake_later", lambda *when: later.append(when))
    taken(1)
    last_fold("0 seconds")
    tasks.work.apply(args=["deDE"], throw=True)
    assert states() == {"staged": 1}
    [(locale, delay_s)] = later
    assert (locale, 0 < delay_s <= 60) == ("deDE", True)
    last_fold("61 seconds")
    tasks.work.apply(args=["deDE"], throw=True)
    assert states() == {"merged": 1}
    assert len(later) == 1, "nothing is staged any more"
    assert sent == []


def test_the_last_fold_of_a_queue_waits_for_what_others_are_still_staging(monkeypatch, settings):
    settings.BATCH_MAX_UPLOADS = 2
    taken(3)
    assert len(lifecycle.claim("deDE", "another worker's")) == 2
    waits: list[float] = []

    def end_of_the_other(pause_s: float) -> None:
        waits.append(pause_s)
        module.stage_batch("deDE", "another worker's")

    monkeypatch.setattr(turn, "sleep", end_of_the_other)
    last_fold("10 seconds")
    tasks.work.apply(args=["deDE"], throw=True)
    assert (states(), len(waits)) == ({"merged": 3}, 1)
    assert rows("SELECT count(DISTINCT xmin::text) FROM ledger") == [(1,)], "one transaction"


def test_a_claim_whose_worker_died_holds_up_a_fold_for_a_moment_only(monkeypatch, settings):
    settings.BATCH_MAX_UPLOADS = 1
    monkeypatch.setattr(turn, "GRACE_S", 0.2)
    taken(2)
    lifecycle.claim("deDE", "a dead worker's")
    last_fold("10 seconds")
    tasks.work.apply(args=["deDE"], throw=True)
    assert states() == {"merged": 1, "queued": 1}


def test_a_fold_noted_before_the_clock_was_set_back_holds_up_none():
    last_fold("-1 hour")
    assert pacing.fold_is_due("deDE", idle=False)
    taken(1)
    stage_all()
    assert pacing.next_fold_s("deDE") == pacing.FOLD_GAP_IDLE.total_seconds()
