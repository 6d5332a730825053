"""Putting uploads back to work: what is chosen, what becomes of it, and that nobody who works meanwhile is hurt."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from threading import Event, Thread
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from core import locales
from ingest import lifecycle, wake
from ingest.intake import spool
from ingest.lifecycle import claim, locales_with_work
from ingest.merge import ledger
from ingest.models import LocaleControl, Requeued, Upload
from ingest.queue import requeue, tasks, worker
from ingest.queue.worker import stage_batch
from tests import merged_tables
from tests.ingest.factories import contents, document, mob, notes, zone
from tests.ingest.pipeline import RECEIVED, empty, merge, rows, tables, take, work_off

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]
ALIAS = "map_deDE"


def xml(number: int, language: str = "deDE", version: int = 44) -> bytes:
    return document(mob(zone(f"1/1,{number % 100}/2,"), max=40 + number), language=language, version=version)


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("requeue", *arguments, stdout=out)
    return out.getvalue()


def draw_all(locale: str = "deDE") -> int:
    """Do what a worker's turn does, until nothing is left; returns how many uploads were looked at."""
    looked_at = 0
    while True:
        work_off(locale)
        drawn = requeue.draw(locale, "wake-up")
        looked_at += drawn.looked_at
        if not drawn.looked_at:
            return looked_at


def lose_the_map() -> None:
    """Leave a locale's database as one restored from an empty backup."""
    uploads = list(Upload.objects.values())
    empty()
    Upload.objects.bulk_create(Upload(**upload) for upload in uploads)


def states() -> dict[UUID, str]:
    return dict(Upload.objects.values_list("id", "status"))


# --- what becomes of it -----------------------------------------------------------------------------
def test_what_is_merged_stays_as_it_is_however_often_it_is_requeued():
    merge(xml(1), xml(2))
    before, receipts = tables(), list(Upload.objects.order_by("id").values())
    command()
    command()
    assert Requeued.objects.count() == 2
    assert draw_all() == 2
    assert draw_all() == 0
    assert tables() == before
    assert list(Upload.objects.order_by("id").values()) == receipts


def test_what_the_tables_have_lost_is_merged_from_the_archive():
    uploads = merge(xml(1), xml(2), xml(3))
    before = tables()
    lose_the_map()
    assert tables() != before
    command()
    draw_all()
    assert tables() == before
    assert states() == {upload.id: "merged" for upload in uploads}
    assert Requeued.objects.count() == 0


@settings(
    max_examples=10,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(notes(), min_size=1, max_size=5, unique_by=lambda note: contents(note.xml()).content_hash),
    st.lists(st.sampled_from(["requeue", "work", "lose"]), max_size=6),
)
def test_any_requeueing_at_any_time_gives_the_same_tables(batch, steps):
    empty()
    Requeued.objects.all().delete()
    for number, note in enumerate(batch):
        take(note.xml(), f"player:{number % 2}", RECEIVED + timedelta(days=number))
    work_off()
    before = merged_tables.read(ALIAS)
    for step in steps:
        if step == "requeue":
            requeue.select(Upload.objects.all())
            requeue.add_selected()
        elif step == "work":
            draw_all()
        else:
            lose_the_map()
    requeue.select(Upload.objects.all())
    requeue.add_selected()
    draw_all()
    assert merged_tables.read(ALIAS) == before


def test_a_rejected_upload_is_read_again():
    upload = take(xml(1))
    Upload.objects.update(status="rejected", rejected_at=timezone.now(), reason="a fault of the reader")
    command("--status", "rejected")
    draw_all()
    upload.refresh_from_db()
    assert (upload.status, upload.reason, upload.rejected_at) == ("merged", "", None)


def test_a_rejected_upload_whose_content_came_again_is_left():
    rejected = take(xml(1))
    Upload.objects.update(status="rejected")
    again = merge(xml(1))[0]
    assert again.id != rejected.id
    command()
    draw_all()
    assert states() == {rejected.id: "rejected", again.id: "merged"}
    assert Requeued.objects.count() == 0


def test_of_two_rejected_uploads_with_one_content_one_is_merged():
    for _ in range(2):
        take(xml(1))
        Upload.objects.update(status="rejected")
    command()
    draw_all()
    assert sorted(states().values()) == ["merged", "rejected"]


def test_withdrawn_and_waiting_uploads_are_not_requeued():
    [withdrawn] = merge(xml(1))
    Upload.objects.update(status="withdrawn")
    waiting = take(xml(2))
    with pytest.raises(CommandError, match="withdraw --restore"):
        command()
    Requeued.objects.bulk_create(Requeued(locale="deDE", upload=one.id) for one in (withdrawn, waiting))
    requeue.draw("deDE", "wake-up")
    assert states() == {withdrawn.id: "withdrawn", waiting.id: "queued"}
    assert Requeued.objects.count() == 0


def test_an_upload_that_no_row_knows_is_forgotten():
    Requeued.objects.create(locale="deDE", upload=uuid4())
    assert requeue.draw("deDE", "wake-up") == (1, 0)
    assert Requeued.objects.count() == 0


def test_a_draw_that_dies_leaves_all_as_it_was(monkeypatch):
    [upload] = merge(xml(1))
    lose_the_map()
    command()

    def die(*arguments: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(lifecycle, "requeue", die)
        with pytest.raises(SystemExit):
            requeue.draw("deDE", "wake-up")
    assert states() == {upload.id: "merged"}
    draw_all()
    assert rows("SELECT count(*) FROM ledger") == [(1,)]


def test_what_is_drawn_is_claimed_by_the_wake_up_and_by_others_after_its_lease():
    uploads = merge(xml(1), xml(2))
    lose_the_map()
    command()
    assert requeue.draw("deDE", "a") == (2, 2)
    assert claim("deDE", "b") == []
    assert {upload.id for upload in claim("deDE", "a")} == {upload.id for upload in uploads}
    Upload.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert len(claim("deDE", "b")) == 2


def test_a_batch_is_drawn_at_a_time_and_what_is_merged_beyond_it_is_done_with(settings):
    settings.BATCH_MAX_UPLOADS = 2
    merge(xml(1), xml(2), xml(3))
    lose_the_map()
    merge(xml(4))
    command()
    assert requeue.draw("deDE", "a") == (3, 2)
    assert Requeued.objects.count() == 1


def test_a_paused_locale_draws_nothing_and_loses_nothing():
    merge(xml(1))
    LocaleControl.objects.create(locale="deDE", work_paused=True)
    command()
    assert requeue.draw("deDE", "a") == requeue.NOTHING
    assert Requeued.objects.count() == 1


def test_a_locale_whose_database_is_away_keeps_its_requeued_uploads(monkeypatch):
    from django.db import OperationalError

    def away(*arguments: object) -> None:
        raise OperationalError("the server is gone")

    merge(xml(1))
    command()
    monkeypatch.setattr(ledger, "find", away)
    assert requeue.draw("deDE", "a") == requeue.NOTHING
    assert Requeued.objects.count() == 1


def test_the_sweep_finds_requeued_uploads_and_a_turn_works_them_off(sent):
    merge(xml(1))
    lose_the_map()
    command()
    assert locales_with_work(locales.hosted()) == ["deDE"]
    tasks.work.apply(args=["deDE"], task_id="wake-up", throw=True)
    work_off()  # the fold may not have been due within that turn
    assert rows("SELECT count(*) FROM ledger") == [(1,)]
    assert locales_with_work(locales.hosted()) == []


def test_live_uploads_go_first(monkeypatch):
    merge(xml(1))
    lose_the_map()
    command()
    live = take(xml(2), received_at=timezone.now())
    order: list[UUID] = []
    monkeypatch.setattr(worker, "stage_batch", lambda locale, name: _take(locale, name, order))
    tasks.work.apply(args=["deDE"], task_id="wake-up", throw=True)
    assert order[0] == live.id


def _take(locale: str, name: str, order: list[UUID]) -> int:
    """Claim a batch, note it down, and leave it as if it were staged."""
    batch = [upload.id for upload in claim(locale, name)]
    Upload.objects.filter(id__in=batch).update(status="staged")
    order += batch
    return len(batch)


# --- what is chosen ---------------------------------------------------------------------------------
@pytest.fixture
def chosen() -> Callable[..., set[str]]:
    """Return a function that requeues with some options and says which of four uploads were chosen."""
    cases = {
        "old": (xml(1, version=43), datetime(2026, 11, 1, 23, 59, tzinfo=UTC)),
        "new": (xml(2), datetime(2026, 11, 20, 12, tzinfo=UTC)),
        "english": (xml(3, "enUS"), datetime(2026, 11, 20, 12, tzinfo=UTC)),
        "other game": (
            xml(4).replace(b'gameversion="3.3.5|test"', b'gameversion="4.0.1|x"'),
            datetime(2026, 11, 21, tzinfo=UTC),
        ),
    }
    names = {take(body, received_at=when).id: name for name, (body, when) in cases.items()}
    work_off("deDE")
    work_off("enUS")

    def run(*options: str) -> set[str]:
        Requeued.objects.all().delete()
        command(*options)
        return {names[upload] for upload in Requeued.objects.values_list("upload", flat=True)}

    return run


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], {"old", "new", "english", "other game"}),
        (["--locale", "deDE"], {"old", "new", "other game"}),
        (["--locale", "enGB"], {"english"}),
        (["--since", "2026-11-20"], {"new", "english", "other game"}),
        (["--since", "2026-11-20T12:00:01"], {"other game"}),
        (["--until", "2026-11-01"], {"old"}),
        (["--until", "2026-11-20T12:00"], {"old"}),
        (["--since", "2026-11-20", "--until", "2026-11-20", "--locale", "deDE"], {"new"}),
        (["--client-version", "43"], {"old"}),
        (["--client-version", "4.0.1|x"], {"other game"}),
        (["--client-version", "3.3*"], {"old", "new", "english"}),
        (["--client-version", "43", "--client-version", "4.0.1|x"], {"old", "other game"}),
        (["--status", "merged"], {"old", "new", "english", "other game"}),
    ],
)
def test_options_choose(chosen, options, expected):
    assert chosen(*options) == expected


def test_a_dry_run_counts_and_changes_nothing(chosen):
    Requeued.objects.all().delete()
    said = command("--dry-run")
    assert "deDE: 3 uploads\nenUS: 1 upload\n" in said
    assert "Dry run: 4 uploads would be requeued" in said
    assert Requeued.objects.count() == 0


def test_it_says_what_waited_already_and_wakes_the_locales(chosen, sent):
    chosen("--locale", "enUS")
    sent.clear()
    assert "3 uploads requeued" in (said := command())
    assert "1 were requeued already" in said
    assert sent == ["deDE", "enUS"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--locale", "xxXX"], "hosts enUS, deDE"),
        (["--since", "yesterday"], "is no day or time"),
        (["--client-version", "99"], "No upload meets these options"),
    ],
)
def test_options_that_make_no_sense_are_told(options, message):
    with pytest.raises(CommandError, match=message):
        command(*options)


def test_a_broker_that_is_away_only_delays(monkeypatch):
    merge(xml(1))

    def away(task: str, locale: str) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr(wake, "send", away)
    err = StringIO()
    call_command("requeue", stdout=StringIO(), stderr=err)
    assert "the sweep starts them" in err.getvalue()
    assert Requeued.objects.count() == 1


# --- at once ----------------------------------------------------------------------------------------
def test_a_big_requeue_beside_live_uploads_and_workers_makes_no_deadlock_and_loses_no_claim(settings):
    """20,000 uploads are requeued, twice at once, while others come in live and four workers draw and claim."""
    settings.BATCH_MAX_UPLOADS = 20
    merged = [_row("merged") for _ in range(20_000)]
    Upload.objects.bulk_create(merged, batch_size=5_000)
    _enter_into_ledger(merged[:19_500])  # the last 500 are lost
    deadlocks = _deadlocks()
    over, failures = Event(), list[BaseException]()
    claimed: list[UUID] = []
    live: list[UUID] = []

    def guarded(action: Callable[[], None]) -> Thread:
        def run() -> None:
            try:
                action()
            except BaseException as error:  # noqa: BLE001  (told by the test)
                failures.append(error)
            finally:
                connections.close_all()

        thread = Thread(target=run)
        thread.start()
        return thread

    def put_back() -> None:
        requeue.select(Upload.objects.all())
        requeue.add_selected()

    def send() -> None:
        while not over.is_set():
            upload = _row("queued")
            upload.save(force_insert=True)
            live.append(upload.id)
            over.wait(0.005)

    def claim_and_draw(name: str) -> Callable[[], None]:
        def worker() -> None:
            idle = 0
            while idle < 3:
                batch = claim("deDE", f"{name}-{uuid4()}"[:40])
                _merged(batch)
                claimed.extend(upload.id for upload in batch)
                token = f"{name}-{uuid4()}"[:40]
                drawn = requeue.draw("deDE", token) if not batch else requeue.NOTHING
                if drawn.queued:
                    batch = claim("deDE", token)
                    _merged(batch)
                    claimed.extend(upload.id for upload in batch)
                resting = over.is_set() and not (batch or drawn.looked_at)
                idle = idle + 1 if resting else 0
                if not batch and not drawn.looked_at:
                    over.wait(0.01)

        return worker

    workers = [guarded(claim_and_draw(f"worker-{number}")) for number in range(4)]
    sender = guarded(send)
    operators = [guarded(put_back) for _ in range(2)]
    for operator in operators:
        operator.join()
    while len(live) < 30 and sender.is_alive():
        over.wait(0.05)
    over.set()
    for thread in [sender, *workers]:
        thread.join()
    assert failures == []
    assert Requeued.objects.count() == 0
    assert Upload.objects.exclude(status="merged").count() == 0
    assert len(claimed) == len(set(claimed)), "an upload was claimed twice"
    assert set(claimed) == {*live, *(upload.id for upload in merged[19_500:])}
    assert _deadlocks() == deadlocks


def _row(status: str) -> Upload:
    name = uuid4()
    return Upload(
        id=name,
        locale="deDE",
        content_hash=name.bytes * 2,
        version=44,
        sender="player:1",
        size_bytes=100,
        document_name=spool.document_name(str(name)),
        archived=True,
        mobs=1,
        positions=1,
        lootings=0,
        status=status,
        received_at=timezone.now(),
    )


def _enter_into_ledger(uploads: list[Upload]) -> None:
    with connections[ALIAS].cursor() as cursor, cursor.copy("COPY ledger FROM STDIN") as copy:
        for upload in uploads:
            copy.write_row([upload.content_hash, upload.id, timezone.now(), json.dumps({})])


def _merged(batch: list[Upload]) -> None:
    """Do what staging and folding come to, in the rows and the ledger."""
    if batch:
        _enter_into_ledger(batch)
        Upload.objects.filter(id__in=[upload.id for upload in batch], status="queued").update(
            status="merged", lease_until=None
        )


def _deadlocks() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return int(cursor.fetchone()[0])


def test_work_goes_on_as_before_without_requeued_uploads():
    take(xml(1))
    assert stage_batch("deDE", "wake-up") == 1
    assert requeue.draw("deDE", "wake-up") == requeue.NOTHING
