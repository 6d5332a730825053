"""Taking uploads out of the map again: as if they had never come, whatever happens on the way, and back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from io import StringIO
from struct import unpack
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ingest import lifecycle
from ingest.intake import spool
from ingest.maintenance import rebuild, rebuild_tables, withdrawals
from ingest.merge.fold import fold
from ingest.models import Requeued, Upload
from ingest.queue import requeue, tasks, worker
from portal.management.commands import withdraw as command_module
from portal.models import Player
from tests import independent, merged_tables
from tests.ingest.factories import Note, contents, day, document, loot, mob, notes, zone
from tests.ingest.pipeline import RECEIVED, days, empty, merge, rows, tables, take, work_off

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]
ALIAS = "map_deDE"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_module, "WAIT_FOR_WORKERS_S", 0.5)


def xml(number: int) -> bytes:
    return document(mob(zone(f"1/1,{number % 100}/2,"), max=40 + number), loot())


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("withdraw", *arguments, stdout=out)
    return out.getvalue()


def take_out(*uploads: Upload) -> None:
    """Withdraw uploads as the admin does: mark them, and leave the rest to the sweep."""
    lifecycle.withdraw([upload.id for upload in uploads])
    withdrawals.finish_pending("deDE")


def without_ids(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Leave out what a withdrawal leaves behind on purpose: names in the dictionaries."""
    return {name: table for name, table in found.items() if name != "shown_as"}


def status(upload: Upload) -> str:
    return str(Upload.objects.get(id=upload.id).status)


# --- as if it had never come ------------------------------------------------------------------------
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(notes(), min_size=1, max_size=6, unique_by=lambda note: contents(note.xml()).content_hash),
    st.lists(st.booleans(), min_size=6, max_size=6),
    st.booleans(),
)
def test_withdrawn_after_the_merge_equals_never_merged(batch: Sequence[Note], stay, one_by_one) -> None:
    senders = ["player:1", "player:2", "network:a"]
    sent = [(senders[no % 3], RECEIVED + timedelta(days=no % 2), note) for no, note in enumerate(batch)]
    kept = [one for one, keep in zip(sent, stay, strict=False) if keep]
    empty()
    for sender, when, note in kept:
        take(note.xml(), sender, when)
    work_off()
    expected = without_ids(tables())

    empty()
    uploads = [take(note.xml(), sender, when) for sender, when, note in sent]
    work_off()
    everything = tables()
    gone = [upload for upload, keep in zip(uploads, stay, strict=False) if not keep]
    for some in [[upload] for upload in gone] if one_by_one else [gone]:
        take_out(*some)
    found = without_ids(tables())
    found["creature_name"] = [row for row in found["creature_name"] if row[2]]
    assert found == expected
    independent_count = independent.count((sender, note.xml(version=note.shape)) for sender, _, note in kept)
    assert merged_tables.read(ALIAS) == independent.merged(independent_count)

    lifecycle.restore([upload.id for upload in gone])
    work_off()
    assert tables() == everything


def test_the_row_says_so_and_when():
    [upload] = merge(xml(1))
    take_out(upload)
    upload.refresh_from_db()
    assert (upload.status, upload.lease_until, upload.reason) == ("withdrawn", None, "")
    assert upload.withdrawn_at is not None
    assert rows("SELECT count(*) FROM ledger") == [(0,)]


def test_withdrawing_twice_subtracts_once():
    uploads = merge(xml(1), xml(2))
    take_out(uploads[0])
    before = tables()
    take_out(uploads[0])
    withdrawals.finish_merged("deDE", [uploads[0].id])
    withdrawals.finish_left("deDE")
    assert tables() == before


def test_the_same_content_does_not_come_back_by_sending_it_again():
    [upload] = merge(xml(1))
    take_out(upload)
    assert take(xml(1)).id == upload.id
    work_off()
    assert rows("SELECT count(*) FROM ledger") == [(0,)]


def test_days_come_back_to_what_the_uploads_that_are_left_tell():
    """One player saw one coordinate on three days; the first and the last of them are taken away."""
    uploads = [
        take(
            document(mob(zone("1/1,-1/-1,"), max=40 + no, date=day(2024, 10, 4 + no))),
            "player:1",
            RECEIVED + timedelta(days=no),
        )
        for no in range(3)
    ]
    work_off()
    take_out(uploads[0], uploads[2])
    [(seen_when, unplaced_by, last_day)] = rows("SELECT seen_when, unplaced_by, last_seen_day FROM habitat")
    times, first, last = unpack(">3i", seen_when)
    _, unplaced_times, unplaced = unpack(">3i", unplaced_by)
    received = (RECEIVED + timedelta(days=1)).date().toordinal() - 719163
    assert (times, days(first), last) == (1, ["2024-10-05"], received)
    assert (unplaced_times, unplaced, last_day) == (1, received, received)
    assert rows("SELECT level_max, first_seen::text FROM creature") == [(41, "2024-10-05")]


def test_an_upload_that_cannot_be_read_stays_on_the_map_and_says_why(caplog):
    uploads = merge(xml(1), xml(2))
    spool.archive().delete(uploads[0].document_name)
    take_out(*uploads)
    uploads[0].refresh_from_db()
    assert (uploads[0].status, uploads[0].withdrawn_at) == ("withdrawn", None)
    assert "is not in the archive" in uploads[0].reason
    assert rows("SELECT upload FROM ledger") == [(uploads[0].id,)]


def test_a_document_that_cannot_be_opened_holds_up_no_other_and_says_why(own_spool, admin_client):
    uploads = merge(*(xml(number) for number in range(1, 5)))
    path = own_spool / "archive" / uploads[0].document_name
    path.unlink()
    path.mkdir()  # opening it fails by another error than that of a missing file
    lifecycle.withdraw([upload.id for upload in uploads])
    tasks.sweep.apply(throw=True)
    assert rows("SELECT upload FROM ledger") == [(uploads[0].id,)]
    left = lifecycle.withdrawal_pending("deDE").get()
    assert left.id == uploads[0].id
    assert "IsADirectoryError" in left.reason
    assert left.retry_at is not None, "it is not read with every sweep"
    listed = admin_client.get("/admin/queues/figures.json").json()["tables"]["failing"]
    assert [(row["id"], "IsADirectoryError" in row["detail"]) for row in listed] == [(str(left.id), True)]
    path.rmdir()
    lifecycle.restore([left.id])
    left.refresh_from_db()
    assert (left.attempts, left.retry_at, left.reason) == (0, None, "")


# --- in the middle of everything --------------------------------------------------------------------
def test_a_waiting_upload_is_never_merged():
    upload = take(xml(1))
    take_out(upload)
    work_off()
    assert status(upload) == "withdrawn"
    assert rows("SELECT count(*) FROM ledger") == [(0,)]


def test_an_upload_withdrawn_while_a_worker_has_it_is_subtracted_after_its_fold():
    upload = take(xml(1))
    [claimed] = lifecycle.claim("deDE", "wake-up")
    lifecycle.withdraw([upload.id])
    assert withdrawals.finish_pending("deDE") == 0  # its worker may stage it yet
    worker._stage(ALIAS, [claimed])
    worker.fold_staged("deDE")
    assert withdrawals.finish_pending("deDE") == 1
    upload.refresh_from_db()
    assert upload.status == "withdrawn"
    assert upload.withdrawn_at is not None
    assert rows("SELECT count(*) FROM habitat") == [(0,)]


def test_a_claimed_upload_whose_worker_died_is_done_with_when_its_lease_ends():
    upload = take(xml(1))
    lifecycle.claim("deDE", "wake-up")
    lifecycle.withdraw([upload.id])
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert withdrawals.finish_pending("deDE") == 1


def test_a_staged_upload_is_subtracted_after_its_fold():
    upload = take(xml(1))
    worker.stage_batch("deDE", "wake-up")
    lifecycle.withdraw([upload.id])
    assert withdrawals.finish_pending("deDE") == 0
    worker.fold_staged("deDE")
    assert rows("SELECT count(*) FROM ledger") == [(1,)]
    assert withdrawals.finish_pending("deDE") == 1
    assert rows("SELECT count(*) FROM ledger") == [(0,)]
    assert not lifecycle.withdrawal_pending("deDE").exists()


def test_what_a_crash_after_the_fold_left_is_found_by_tidy():
    upload = take(xml(1))
    worker.stage_batch("deDE", "wake-up")
    take_out(upload)
    fold(ALIAS)  # and the worker dies before it tells the receipts
    Upload.objects.update(withdrawn_at=timezone.now())
    assert rows("SELECT count(*) FROM ledger") == [(1,)]
    tasks.clean_up()
    assert rows("SELECT count(*) FROM ledger") == [(0,)]
    assert status(upload) == "withdrawn"


def test_a_crash_before_the_subtraction_is_made_good_by_the_sweep():
    uploads = merge(xml(1), xml(2))
    lifecycle.withdraw([uploads[0].id])
    tasks.sweep.apply(throw=True)
    assert rows("SELECT upload FROM ledger") == [(uploads[1].id,)]
    assert not lifecycle.withdrawal_pending("deDE").exists()


def test_a_crash_between_the_subtraction_and_its_row_subtracts_once(monkeypatch):
    uploads = merge(xml(1), xml(2))
    lifecycle.withdraw([uploads[0].id])
    subtract = withdrawals.subtract

    def die_after(*arguments: Any) -> None:
        subtract(*arguments)
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(withdrawals, "subtract", die_after)
        with pytest.raises(SystemExit):
            withdrawals.finish_pending("deDE")
    before = tables()
    assert withdrawals.finish_pending("deDE") == 1
    assert tables() == before
    assert rows("SELECT upload FROM ledger") == [(uploads[1].id,)]


def test_a_sweep_goes_on_when_a_locales_database_is_away(monkeypatch, caplog):
    upload = take(document(mob(), language="enUS"))
    lifecycle.withdraw([upload.id])

    def away(alias: str, uploads: Sequence[Any]) -> None:
        raise OperationalError("the server is gone")

    monkeypatch.setattr(withdrawals, "subtract", away)
    tasks.sweep.apply(throw=True)
    assert "could not be subtracted" in caplog.text


def test_a_sweep_goes_on_when_a_document_cannot_be_opened(monkeypatch, caplog):
    uploads = merge(xml(1))
    lifecycle.withdraw([uploads[0].id])

    def denied(alias: str, uploads: Sequence[Any]) -> None:
        raise PermissionError("the archive is not ours")

    monkeypatch.setattr(withdrawals, "subtract", denied)
    tasks.sweep.apply(throw=True)
    assert "could not be subtracted" in caplog.text
    assert rows("SELECT upload FROM ledger") == [(uploads[0].id,)]


def test_requeueing_does_not_bring_it_back():
    uploads = merge(xml(1), xml(2))
    requeue.select(Upload.objects.all())
    requeue.add_selected()
    take_out(uploads[0])
    requeue.draw("deDE", "wake-up")
    work_off()
    assert rows("SELECT upload FROM ledger") == [(uploads[1].id,)]
    assert Requeued.objects.count() == 0


def test_what_is_withdrawn_while_a_rebuild_is_made_is_not_in_it():
    rebuild_tables.discard(ALIAS)
    uploads = merge(xml(1), xml(2))
    run = rebuild.Rebuild("deDE")
    run.prepare()
    run.catch_up()
    take_out(uploads[0])
    before = tables()
    run.finish(without_gone=False)
    assert withdrawals.finish_left("deDE", whenever=True) == 1
    assert tables() == before


# --- back again -------------------------------------------------------------------------------------
def test_restored_uploads_are_merged_again_from_the_archive():
    uploads = merge(xml(1), xml(2))
    before = tables()
    take_out(*uploads)
    assert "2 uploads queued again" in command("--restore", "--client-version", "44", "--yes")
    work_off()
    assert tables() == before
    assert {status(upload) for upload in uploads} == {"merged"}


def test_what_is_restored_before_it_was_subtracted_stays_merged():
    uploads = merge(xml(1), xml(2))
    before = tables()
    lifecycle.withdraw([upload.id for upload in uploads])
    lifecycle.restore([upload.id for upload in uploads])
    withdrawals.finish_pending("deDE")
    work_off()
    assert tables() == before
    assert {status(upload) for upload in uploads} == {"merged"}


def test_an_upload_without_its_document_is_not_restored():
    [upload] = merge(xml(1))
    take_out(upload)
    Upload.objects.update(document_name="")
    with pytest.raises(CommandError, match="has its document"):
        command("--restore", "--upload", str(upload.id), "--yes")
    assert status(upload) == "withdrawn"


# --- the command ------------------------------------------------------------------------------------
def test_a_players_uploads_are_withdrawn_and_no_others():
    player = Player.objects.create(name="Mallory")
    mine, other = take(xml(1), player.sender), take(xml(2), "player:other")
    work_off()
    said = command("--player", "Mallory", "--yes")
    assert "deDE: 1 upload of 1 sender" in said
    assert "1 upload withdrawn in" in said
    assert (status(mine), status(other)) == ("withdrawn", "merged")
    assert rows("SELECT upload FROM ledger") == [(other.id,)]


@pytest.mark.parametrize(
    ("options", "gone"),
    [
        (["--sender", "player:2"], {"late"}),
        (["--since", "2026-11-21"], {"late", "english"}),
        (["--since", "2026-11-21", "--locale", "deDE"], {"late"}),
        (["--client-version", "43"], {"old"}),
        (["--until", "2026-11-20"], {"old"}),
    ],
)
def test_options_choose(options, gone):
    uploads = {
        "old": take(document(mob(), version=43)),
        "late": take(xml(2), "player:2", RECEIVED + timedelta(days=1)),
        "english": take(document(mob(), language="enUS"), "player:3", RECEIVED + timedelta(days=2)),
    }
    work_off("deDE")
    work_off("enUS")
    command(*options, "--yes")
    assert {name for name, upload in uploads.items() if status(upload) == "withdrawn"} == gone


def test_a_dry_run_tells_what_would_vanish_and_changes_nothing():
    mine = take(document(mob(zone("1/1,2/2,"), id=7), mob(zone("5/5,")), loot()), "player:1")
    take(document(mob(zone("5/5,6/6,"), max=50)), "player:2")
    work_off()
    take(xml(3), "player:1")
    before, receipts = tables(), list(Upload.objects.order_by("id").values())
    said = command("--sender", "player:1", "--dry-run")
    assert "deDE: 2 uploads of 1 sender" in said
    assert (
        "deDE: 1 creatures vanish, 3 sightings fewer, 2 positions disappear, 0 gathering places disappear, "
        "1 lootings fewer, 1 drops fewer" in said
    )
    assert "1 of these uploads is not merged yet" in said
    assert "nothing was changed" in said
    assert tables() == before
    assert list(Upload.objects.order_by("id").values()) == receipts
    assert status(mine) == "merged"


def test_without_yes_somebody_must_confirm(monkeypatch):
    [upload] = merge(xml(1))
    with pytest.raises(CommandError, match="There is nobody to ask"):
        command("--upload", str(upload.id))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: "no")
    assert "Nothing was changed" in command("--upload", str(upload.id))
    assert status(upload) == "merged"
    monkeypatch.setattr("builtins.input", lambda question: "yes")
    command("--upload", str(upload.id))
    assert status(upload) == "withdrawn"


def test_it_merges_what_is_staged_and_says_what_a_worker_holds():
    staged = take(xml(1))
    worker.stage_batch("deDE", "wake-up")
    claimed = take(xml(2))
    lifecycle.claim("deDE", "another")
    said = command("--client-version", "44", "--yes")
    assert "1 upload withdrawn in" in said
    assert "Workers have claimed 1 upload more" in said
    assert (status(staged), status(claimed)) == ("withdrawn", "withdrawn")
    assert rows("SELECT count(*) FROM ledger") == [(0,)]


def test_interrupted_it_says_how_to_go_on_and_goes_on(monkeypatch):
    uploads = merge(xml(1), xml(2))
    monkeypatch.setattr(command_module, "PAGE", 1)
    with monkeypatch.context() as patched:
        calls: list[int] = []
        subtract = withdrawals.subtract

        def interrupt(*arguments: Any) -> Any:
            calls.append(1)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return subtract(*arguments)

        patched.setattr(withdrawals, "subtract", interrupt)
        with pytest.raises(CommandError, match="Run the command again to withdraw the rest"):
            command("--client-version", "44", "--yes")
    tasks.sweep.apply(throw=True)
    assert {status(upload) for upload in uploads} == {"withdrawn"}
    assert rows("SELECT count(*) FROM ledger") == [(0,)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Say which uploads"),
        (["--locale", "deDE"], "Say which uploads"),
        (["--player", "Nobody"], "no player of the name “Nobody”"),
        (["--upload", "12"], "is no upload's id"),
        (["--upload", str(uuid4())], "No upload meets these options"),
    ],
)
def test_options_that_make_no_sense_are_told(options, message):
    with pytest.raises(CommandError, match=message):
        command(*options, "--yes")


def test_what_is_withdrawn_already_is_told():
    [upload] = merge(xml(1))
    command("--upload", str(upload.id), "--yes")
    with pytest.raises(CommandError, match="withdrawn already"):
        command("--upload", str(upload.id), "--yes")


def test_a_database_that_is_away_is_told_and_the_sweep_goes_on(monkeypatch):
    [upload] = merge(xml(1))

    def away(alias: str, uploads: Sequence[Any]) -> None:
        raise OperationalError("the server is gone")

    with monkeypatch.context() as patched:
        patched.setattr(withdrawals, "subtract", away)
        with pytest.raises(CommandError, match="the server is gone"):
            command("--upload", str(upload.id), "--yes")
    tasks.sweep.apply(throw=True)
    assert rows("SELECT count(*) FROM ledger") == [(0,)]


def test_many_uploads_go_in_several_transactions(monkeypatch):
    monkeypatch.setattr(withdrawals, "AT_ONCE", 2)
    merge(*(xml(number) for number in range(1, 6)))
    before = rows("SELECT count(*) FROM creature")
    assert "5 uploads withdrawn" in command("--client-version", "44", "--yes")
    assert before == [(1,)]
    assert rows("SELECT count(*) FROM creature") == [(0,)]
    connections.close_all()
