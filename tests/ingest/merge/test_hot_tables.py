"""Staging into the hot tables, folding them in turn, and what happens when they vanish."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.db import connections, transaction
from django.utils import timezone

from core import locales
from core.database import ERRORS
from core.locks import Lock
from ingest import wake
from ingest.intake.accept import accept
from ingest.merge import hot_tables
from ingest.merge.fold import fold
from ingest.models import Upload
from ingest.queue import pacing
from ingest.queue import worker as working
from maps.models import Habitat
from tests import merged_tables

ALIAS = "map_deDE"
#: Against waiting for good.
PATIENCE_S = 120
pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


@pytest.fixture(autouse=True)
def own_hot_tables(monkeypatch: pytest.MonkeyPatch, django_db_setup: None, transactional_db: None) -> Iterator[None]:
    """Begin with empty hot tables; a test database that is flushed keeps those outside Django's models."""
    monkeypatch.setattr(wake, "wake", lambda locale: None)
    with connections[ALIAS].cursor() as cursor:
        for schema in ("hot_0", "hot_1"):
            cursor.execute(f"DROP SCHEMA {schema} CASCADE")
            cursor.execute(f"CREATE SCHEMA {schema}")
        cursor.execute("INSERT INTO hot_state (one) VALUES (true) ON CONFLICT (one) DO UPDATE SET filling = 0")
    yield


def document(number: int, coordinate: str = "21.6/33") -> bytes:
    return (
        f'<MobMapData language="deDE" version="44" gameversion="3">'
        f'<Mob name="Moorling" blizzid="{number}" min="3" max="4" react="0" date="6600">'
        f'<Zone name="Senke" level="0">{coordinate},</Zone></Mob>'
        f'<Loot name="n0x{number:x}#1#1#Senke#0">+77:0:0:1:54Z#</Loot></MobMapData>'
    ).encode()


def send(number: int, coordinate: str = "21.6/33") -> Upload:
    return accept(
        iter([document(number, coordinate)]), "", f"player:{number}", "", check_locale=lambda _: None, dry_run=False
    ).upload


def statuses() -> dict[UUID, str]:
    return dict(Upload.objects.values_list("id", "status"))


def sightings() -> int:
    return sum(merged_tables.read(ALIAS)["sightings"].values())


def in_thread(action: Callable[[], Any]) -> threading.Thread:
    def run() -> None:
        try:
            action()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def lose_files() -> None:
    """Delete the hot tables' files behind PostgreSQL's back, as an emptied RAM disk does.

    What the server holds of them in its memory goes first: any session of any database that needs room there writes
    somebody's page, and would find no file for it. A checkpoint passes over the pages of UNLOGGED tables.
    """
    empty_tables()
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("CHECKPOINT")
        cursor.execute("SHOW data_directory")
        folder = Path(cursor.fetchone()[0])
        cursor.execute(
            "SELECT pg_relation_filepath(c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE nspname IN ('hot_0', 'hot_1') AND relkind = 'r'"
        )
        paths = [folder / row[0] for row in cursor.fetchall()]
    connections.close_all()  # a server process keeps files open that it has used
    for path in paths:
        path.unlink()


def empty_tables() -> None:
    with connections[ALIAS].cursor() as cursor:
        for schema in ("hot_0", "hot_1"):
            cursor.execute(
                f"TRUNCATE {schema}.staged_upload, {schema}.staged_creature, {schema}.staged_position,"
                f" {schema}.staged_loot, {schema}.staged_drop"
            )


def test_a_staged_upload_is_not_merged_before_the_fold() -> None:
    upload = send(1)
    assert working.stage_batch("deDE", "wake-up") == 1
    assert statuses() == {upload.id: "staged"}
    assert hot_tables.staged(ALIAS, [upload.id]) == {upload.id}
    assert sightings() == 0
    assert working.fold_staged("deDE") == 1
    assert statuses() == {upload.id: "merged"}
    assert hot_tables.staged(ALIAS, [upload.id]) == set()
    assert sightings() == 1


def test_the_receipt_of_a_staged_upload_says_when_each_step_was() -> None:
    upload = send(1)
    working.stage_batch("deDE", "wake-up")
    working.fold_staged("deDE")
    upload.refresh_from_db()
    assert upload.received_at <= upload.staged_at <= upload.merged_at
    assert upload.contribution == {"new_mobs": 1, "new_positions": 1, "confirmed_positions": 0, "new_drops": 1}


def test_the_same_upload_staged_twice_counts_once() -> None:
    upload = send(1)
    working.stage_batch("deDE", "wake-up")
    Upload.objects.update(status="queued")  # its worker died before it could say so
    working.stage_batch("deDE", "wake-up")
    assert working.fold_staged("deDE") == 1
    assert (sightings(), statuses()) == (1, {upload.id: "merged"})


def test_an_upload_staged_again_while_its_first_staging_is_merged_counts_once() -> None:
    send(1)
    working.stage_batch("deDE", "wake-up")
    Upload.objects.update(status="queued")
    fold(ALIAS)  # and the worker dies before it tells the receipts
    assert working.stage_batch("deDE", "wake-up") == 1
    assert working.fold_staged("deDE") == 0
    assert sightings() == 1
    assert set(statuses().values()) == {"merged"}


@pytest.mark.parametrize("lose", [empty_tables, lose_files], ids=["emptied by a crash", "files gone"])
def test_uploads_lost_with_the_hot_tables_are_merged_from_the_spool(lose: Callable[[], None]) -> None:
    first, second = send(1), send(2)
    working.stage_batch("deDE", "wake-up")
    lose()
    Upload.objects.update(staged_at=timezone.now() - timedelta(minutes=1))
    assert working.recover("deDE") == 2
    assert set(statuses().values()) == {"queued"}
    working.stage_batch("deDE", "wake-up")
    working.fold_staged("deDE")
    assert statuses() == {first.id: "merged", second.id: "merged"}
    assert sightings() == 2


def test_staging_makes_broken_tables_again_and_goes_on() -> None:
    send(1)
    working.stage_batch("deDE", "wake-up")
    lose_files()
    send(2)
    assert working.stage_batch("deDE", "wake-up") == 1
    assert working.fold_staged("deDE") == 1


def test_tables_that_an_operators_command_makes_belong_to_the_workers(settings: Any) -> None:
    settings.HOT_TABLESPACE = ""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("CREATE ROLE test_workers")
        try:
            cursor.execute("GRANT USAGE, CREATE ON SCHEMA hot_0, hot_1 TO test_workers")
            hot_tables.create_again(ALIAS)
            cursor.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname IN ('hot_0', 'hot_1')")
            assert cursor.fetchall() == [("test_workers",)]
            cursor.execute("SELECT current_user = session_user")
            assert cursor.fetchone() == (True,)
        finally:
            cursor.execute("DROP OWNED BY test_workers")
            cursor.execute("DROP ROLE test_workers")


def test_uploads_that_were_merged_without_telling_are_told_by_the_recovery() -> None:
    upload = send(1)
    working.stage_batch("deDE", "wake-up")
    fold(ALIAS)
    Upload.objects.update(staged_at=timezone.now() - timedelta(minutes=1))
    assert working.recover("deDE") == 0
    assert statuses() == {upload.id: "merged"}


def test_staging_goes_on_while_a_fold_waits_for_a_stager() -> None:
    send(1)
    working.stage_batch("deDE", "wake-up")
    staging, release = threading.Event(), threading.Event()

    def hold_the_set() -> None:
        with transaction.atomic(using=ALIAS), connections[ALIAS].cursor() as cursor:
            hot_tables.lock_active_set(cursor)
            staging.set()
            release.wait(PATIENCE_S)

    holder = in_thread(hold_the_set)
    assert staging.wait(PATIENCE_S)
    folder = in_thread(lambda: working.fold_staged("deDE"))
    _wait_until_turned()
    second = send(2)
    assert working.stage_batch("deDE", "wake-up") == 1  # into the other set, at once
    assert folder.is_alive()
    release.set()
    folder.join(PATIENCE_S)
    holder.join(PATIENCE_S)
    assert sorted(statuses().values()) == ["merged", "staged"]
    assert statuses()[second.id] == "staged"


def _wait_until_turned() -> None:
    deadline = timezone.now() + timedelta(seconds=PATIENCE_S)
    with connections[ALIAS].cursor() as cursor:
        while timezone.now() < deadline:
            cursor.execute("SELECT filling FROM hot_state")
            if cursor.fetchone()[0] == 1:
                return
    pytest.fail("the fold did not turn to the other set")


def _wait_for_waiting(count: int) -> None:
    """Wait until so many sessions wait for an advisory lock."""
    deadline = timezone.now() + timedelta(seconds=PATIENCE_S)
    with connections[ALIAS].cursor() as cursor:
        while timezone.now() < deadline:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
            if cursor.fetchone()[0] == count:
                return
    pytest.fail(f"not {count} sessions wait for a lock")


def test_a_stager_and_whoever_makes_the_tables_again_never_wait_for_each_other() -> None:
    """The stager waits for a fold of set 1, the maker has set 0 and waits for set 1; then the fold turns."""
    hot_tables.create_again(ALIAS)
    failed: list[BaseException] = []

    def noted(action: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            try:
                action()
            except ERRORS as error:
                failed.append(error)

        return run

    def stage_something() -> None:
        with transaction.atomic(using=ALIAS), connections[ALIAS].cursor() as cursor:
            hot_tables.lock_active_set(cursor)

    with connections[ALIAS].cursor() as cursor:
        cursor.execute("UPDATE hot_state SET filling = 1")
    fold_at_work = connections.create_connection(ALIAS)
    try:
        with fold_at_work.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, 1)", [Lock.HOT_SET])
            stager = in_thread(noted(stage_something))
            _wait_for_waiting(1)
            maker = in_thread(noted(lambda: hot_tables.create_again(ALIAS)))
            _wait_for_waiting(2)
            cursor.execute("UPDATE hot_state SET filling = 0")
            cursor.execute("SELECT pg_advisory_unlock(%s, 1)", [Lock.HOT_SET])
    finally:
        fold_at_work.close()
    stager.join(PATIENCE_S)
    maker.join(PATIENCE_S)
    assert failed == []


def test_a_stager_that_looked_before_a_fold_turned_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def look(cursor: Any) -> int:
        looks.append(1)
        return 0 if len(looks) == 1 else 1

    monkeypatch.setattr(hot_tables, "_active_set", look)
    fold_at_work = connections.create_connection(ALIAS)
    try:
        with fold_at_work.cursor() as other:
            other.execute("SELECT pg_advisory_lock(%s, 0)", [Lock.HOT_SET])
            with transaction.atomic(using=ALIAS), connections[ALIAS].cursor() as cursor:
                assert hot_tables.lock_active_set(cursor) == 1
    finally:
        fold_at_work.close()


def test_a_fold_that_was_interrupted_after_the_turn_is_taken_up_first() -> None:
    first = send(1)
    working.stage_batch("deDE", "wake-up")
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("UPDATE hot_state SET filling = 1")
    send(2)
    working.stage_batch("deDE", "wake-up")
    assert set(fold(ALIAS)) == {first.id}
    assert working.fold_staged("deDE") == 1
    assert sightings() == 2


def test_one_fold_at_a_time() -> None:
    send(1)
    working.stage_batch("deDE", "wake-up")
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, 0)", [Lock.FOLD])
        merged: list[int] = []
        thread = in_thread(lambda: merged.append(working.fold_staged("deDE")))
        thread.join(PATIENCE_S)
        cursor.execute("SELECT pg_advisory_unlock(%s, 0)", [Lock.FOLD])
    assert merged == [0]
    assert working.fold_staged("deDE") == 1


def test_at_the_budget_there_is_no_room_until_a_fold(settings: Any) -> None:
    send(1)
    working.stage_batch("deDE", "wake-up")
    settings.HOT_BUDGET_BYTES = 1
    assert not pacing.has_room("deDE")
    assert pacing.fold_is_due("deDE", idle=False)
    working.fold_staged("deDE")
    settings.HOT_BUDGET_BYTES = 1 << 30
    assert pacing.has_room("deDE")


def test_a_loaded_locale_is_merged_at_three_quarters_of_its_budget(settings: Any) -> None:
    send(1)
    working.stage_batch("deDE", "wake-up")
    working.fold_staged("deDE")
    send(2)
    working.stage_batch("deDE", "wake-up")
    staged = hot_tables.size_bytes(ALIAS) * len(locales.hosted())
    settings.HOT_BUDGET_BYTES = round(staged / 0.7)
    assert not pacing.fold_is_due("deDE", idle=False)
    settings.HOT_BUDGET_BYTES = round(staged / 0.8)
    assert pacing.fold_is_due("deDE", idle=False)
    assert pacing.has_room("deDE")


def test_a_quiet_locale_is_merged_soon_and_a_loaded_one_seldom() -> None:
    send(1)
    working.stage_batch("deDE", "wake-up")
    working.fold_staged("deDE")
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("UPDATE hot_state SET folded_at = now() - interval '2 seconds'")
        assert pacing.fold_is_due("deDE", idle=True)
        assert not pacing.fold_is_due("deDE", idle=False)
        cursor.execute("UPDATE hot_state SET folded_at = now() - interval '31 seconds'")
        assert pacing.fold_is_due("deDE", idle=False)


def test_many_batches_folded_at_once_equal_one_batch_after_the_other() -> None:
    for number in range(1, 6):
        send(number % 3 + 1, f"{number}/{number}")
        working.stage_batch("deDE", f"wake-up {number}")
    working.fold_staged("deDE")
    assert sightings() == 5
    rows = Habitat.objects.using(ALIAS).order_by("subject").values_list("subject", "position_count", "sighting_count")
    assert list(rows) == [(1, 1, 1), (2, 2, 2), (3, 2, 2)]


def test_without_a_ram_tablespace_the_tables_lie_on_disk_and_say_so(settings: Any) -> None:
    settings.HOT_TABLESPACE = ""
    send(1)
    working.stage_batch("deDE", "wake-up")
    settings.HOT_TABLESPACE = "mobmap_hot"
    assert hot_tables.in_ram(ALIAS) is False
    assert working.fold_staged("deDE") == 1


def test_a_tablespace_that_cannot_be_used_does_not_stop_staging(settings: Any, caplog: Any) -> None:
    settings.HOT_TABLESPACE = "there_is_none"
    send(1)
    assert working.stage_batch("deDE", "wake-up") == 1
    assert working.fold_staged("deDE") == 1
    assert "there_is_none can't be used" in caplog.text
