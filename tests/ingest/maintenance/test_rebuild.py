"""A locale rebuilt from the archive: the same tables, beside the live ones, and the swap."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from threading import Thread
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ingest import lifecycle
from ingest.intake import spool
from ingest.maintenance import rebuild, rebuild_tables
from ingest.maintenance.rebuild import Rebuild
from ingest.models import Upload
from ingest.queue.worker import fold_staged as fold
from ingest.queue.worker import stage_batch
from tests import independent, merged_tables
from tests.ingest.factories import contents, document, loot, mob, notes, zone
from tests.ingest.pipeline import RECEIVED, empty, merge, rows, tables, take, work_off

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]
ALIAS = "map_deDE"


@pytest.fixture(autouse=True)
def no_rebuild(empty_hot_tables: None) -> None:
    rebuild_tables.discard(ALIAS)


def xml(number: int) -> bytes:
    return document(mob(zone(f"1/1,{number % 100}/2,"), max=40 + number), loot())


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("rebuild", "deDE", *arguments, stdout=out)
    return out.getvalue()


def catalogue() -> list[tuple[Any, ...]]:
    """Return what the database knows of the tables and what is built on them, without the ids."""
    return [
        *rows("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"),
        *rows("SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint ORDER BY 1, 2"),
        *rows(
            "SELECT table_name, column_name, data_type, column_default, is_nullable FROM information_schema.columns"
            " WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
        ),
        *rows("SELECT viewname, definition FROM pg_views WHERE schemaname = 'public' ORDER BY 1"),
        *rows(
            "SELECT p.oid::regprocedure::text, md5(pg_get_functiondef(p.oid)) FROM pg_proc p"
            " WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' ORDER BY 1"
        ),
        *rows("SELECT relname, relacl::text, reloptions FROM pg_class WHERE relnamespace = 'public'::regnamespace AND "
              "relkind IN ('r', 'v') ORDER BY 1"),
        *rows("SELECT nspname FROM pg_namespace ORDER BY 1"),
    ]  # fmt: skip


def spoil() -> None:
    """Put counts into the live tables that no upload accounts for."""
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("UPDATE loot SET lootings = lootings + 1000")
        cursor.execute("UPDATE creature SET level_max = 99")
        cursor.execute("UPDATE habitat SET unplaced = 7, sightings = array_fill(50, ARRAY[cardinality(sightings)])")


# --- the same tables --------------------------------------------------------------------------------
@settings(
    max_examples=12,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(notes(), min_size=1, max_size=6, unique_by=lambda note: contents(note.xml()).content_hash),
    st.integers(1, 3),
)
def test_a_rebuild_gives_the_same_tables_and_changes_nothing_that_is_published(batch, size):
    empty()
    senders = ["player:1", "player:2", "network:a"]
    for no, note in enumerate(batch):
        take(note.xml(), senders[no % 3], RECEIVED + timedelta(days=no % 2))
        if no % size == 0:
            work_off()
    work_off()
    before, ledger = tables(), rows("SELECT * FROM ledger ORDER BY content_hash")
    assert ", equal to the live map" in command()
    assert rows("SELECT count(*) FROM stale_spawns") == [(0,)]
    assert tables() == before
    assert rows("SELECT * FROM ledger ORDER BY content_hash") == ledger
    expected = independent.merged(
        independent.count((senders[no % 3], note.xml(version=note.shape)) for no, note in enumerate(batch))
    )
    assert merged_tables.read(ALIAS) == expected


def test_spoiled_tables_are_made_right_and_the_differences_told_and_marked():
    merge(xml(1), xml(2))
    merge(document(mob(zone(name="Anderswo"), id=77, name="Moorling")))
    before = tables()
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("UPDATE habitat SET unplaced = 7 WHERE subject = 77")
        cursor.execute("UPDATE loot SET lootings = lootings + 1000")
    said = command()
    assert "loot tables: 0 vanish, 0 appear, 1 change" in said
    assert "creatures or gathering places by zone and floor: 0 vanish, 0 appear, 1 change" in said
    assert rows("SELECT mob FROM stale_spawns") == [(77,)]
    assert tables() == before


def test_what_no_upload_accounts_for_vanishes_with_its_spawn_points():
    merge(xml(1))
    before = tables()
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE ghost AS SELECT * FROM habitat WHERE subject > 0")
        cursor.execute("UPDATE ghost SET subject = 4711")
        cursor.execute("INSERT INTO habitat SELECT * FROM ghost")
        cursor.execute("DROP TABLE ghost")
        cursor.execute("INSERT INTO stale_spawns SELECT 4711, zone FROM habitat WHERE subject = 4711")
    assert tables() != before
    assert rows("SELECT count(*) FROM spawn WHERE mob = 4711") != [(0,)]
    assert "1 vanish" in command()
    assert tables() == before


def test_owners_of_names_are_decided_again():
    merge(document(mob(zone(level=None), name="Kodo", id=None), version=42))
    merge(document(mob(name="Kodo", id=5)))
    before = tables()
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("UPDATE named_creature SET shown_as = 6")
    command()
    assert rows("SELECT name, shown_as FROM named_creature") == [("Kodo", 5)]
    [(named,)] = rows("SELECT id FROM named_creature")
    assert rows("SELECT DISTINCT mob FROM stale_spawns ORDER BY mob") == [(5,), (6,), (named,)]
    assert tables() == before


def test_what_a_restored_map_lacks_comes_back():
    merge(xml(1), xml(2))
    before = tables()
    uploads = list(Upload.objects.values())
    empty()
    Upload.objects.bulk_create(Upload(**upload) for upload in uploads)
    assert "uploads: 0 vanish, 2 appear, 0 change" in command()
    assert tables() == before


def test_ids_stay():
    merge(xml(1))
    named = [rows(f"SELECT id FROM {table} ORDER BY id") for table in ("zone", "source", "uploader")]
    command()
    assert [rows(f"SELECT id FROM {table} ORDER BY id") for table in ("zone", "source", "uploader")] == named


# --- beside the live one, and the swap --------------------------------------------------------------
def test_the_database_looks_as_before_down_to_names_of_indexes_and_privileges():
    merge(xml(1))
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("CREATE ROLE mobmap_reader_for_tests")
        try:
            cursor.execute("GRANT SELECT ON habitat, loot TO mobmap_reader_for_tests")
            cursor.execute("ALTER TABLE habitat SET (fillfactor = 90)")
            before = catalogue()
            command()
            assert catalogue() == before
        finally:
            cursor.execute("ALTER TABLE habitat RESET (fillfactor)")
            cursor.execute("REVOKE ALL ON habitat, loot FROM mobmap_reader_for_tests")
            cursor.execute("DROP ROLE mobmap_reader_for_tests")


def test_views_and_functions_read_the_new_tables():
    merge(xml(1))
    spoil()
    command()
    assert rows("SELECT sum(sightings), sum(unplaced) FROM mob_habitat") == [(2, 0)]
    assert rows("SELECT level_max FROM mob_traits(10636)") == [(41,)]
    assert rows("SELECT mob_name(10636)") == [("Lastkodo",)]


def test_merging_goes_on_afterwards():
    merge(xml(1))
    command()
    merge(xml(1), xml(2))
    assert rows("SELECT uploads FROM creature") == [(2,)]
    assert ", equal to the live map" in command()


def test_until_the_swap_the_live_map_is_as_it_was_and_a_dry_run_leaves_it():
    merge(xml(1), xml(2))
    spoil()
    before = tables()
    said = command("--dry-run")
    assert "creatures: 0 vanish, 0 appear, 1 change" in said
    assert "The live map is as it was" in said
    assert tables() == before
    assert rebuild_tables.exist(ALIAS)
    assert "2 are rebuilt already" in command()
    assert not rebuild_tables.exist(ALIAS)
    assert rows("SELECT level_max FROM creature") == [(42,)]


def test_uploads_that_are_merged_meanwhile_are_caught_up_with():
    merge(xml(1))
    run = Rebuild("deDE")
    run.prepare()
    run.catch_up()
    merge(xml(2), xml(3))
    assert run.finish(without_gone=False) == {}
    assert rows("SELECT uploads FROM creature") == [(3,)]


def test_what_is_staged_meanwhile_is_merged_after_the_swap():
    merge(xml(1))
    take(xml(2))
    stage_batch("deDE", "wake-up")
    command()
    assert rows("SELECT uploads FROM creature") == [(1,)]
    work_off()
    assert rows("SELECT uploads FROM creature") == [(2,)]


def test_folds_wait_for_the_swap_and_staging_does_not(monkeypatch):
    merge(xml(1))
    seen: list[Any] = []
    swap = rebuild_tables.swap

    def look_then_swap(alias: str) -> None:
        def live_work() -> None:
            try:
                take(xml(2))
                seen.append(stage_batch("deDE", "wake-up"))
                seen.append(fold("deDE"))
                seen.append(rows("SELECT uploads FROM creature"))
            finally:
                connections.close_all()

        thread = Thread(target=live_work)
        thread.start()
        thread.join(120)
        swap(alias)

    monkeypatch.setattr(rebuild_tables, "swap", look_then_swap)
    command()
    assert seen == [1, 0, [(1,)]]
    work_off()
    assert rows("SELECT uploads FROM creature") == [(2,)]


def test_a_long_reader_delays_the_swap_and_is_not_hurt(monkeypatch):
    merge(xml(1))
    monkeypatch.setattr(rebuild_tables, "SWAP_PAUSE_S", 0.05)
    monkeypatch.setattr(rebuild_tables, "SWAP_TRIES", 2)
    with transaction.atomic(using=ALIAS), connections[ALIAS].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM habitat")
        failures: list[BaseException] = []

        def run() -> None:
            try:
                command()
            except CommandError as error:
                failures.append(error)
            finally:
                connections.close_all()

        thread = Thread(target=run)
        thread.start()
        thread.join(120)
        assert [("left no moment" in str(error)) for error in failures] == [True]
        cursor.execute("SELECT count(*) FROM creature")
        assert cursor.fetchone() == (1,)
    assert "1 are rebuilt already" in command()


def test_something_that_cannot_be_created_again_stops_the_swap(monkeypatch):
    merge(xml(1))
    before = tables()
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("CREATE MATERIALIZED VIEW frozen AS SELECT subject FROM habitat")
        try:
            with pytest.raises(CommandError, match="materialized view frozen depends on table"):
                command()
            assert tables() == before
        finally:
            cursor.execute("DROP MATERIALIZED VIEW frozen")
    command()
    assert tables() == before


# --- interrupted ------------------------------------------------------------------------------------
def test_an_interrupted_rebuild_goes_on_and_counts_once(monkeypatch, settings):
    settings.BATCH_MAX_UPLOADS = 1
    monkeypatch.setattr(rebuild, "FOLD_AT_BYTES", 1)
    merge(*(xml(number) for number in range(1, 6)))
    before = tables()
    copied: list[int] = []
    stage_into = rebuild.stage_into

    def interrupt(*arguments: Any) -> None:
        copied.append(1)
        if len(copied) == 4:
            raise KeyboardInterrupt
        stage_into(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(rebuild, "stage_into", interrupt)
        with pytest.raises(CommandError, match="Run the command again"):
            command()
    assert tables() == before
    said = command()
    assert "5 merged uploads" in said
    assert "3 are rebuilt already" in said
    assert ", equal to the live map" in said
    assert tables() == before


def test_an_interruption_between_staging_and_folding_counts_once(monkeypatch):
    merge(xml(1), xml(2))
    before = tables()
    with monkeypatch.context() as patched:
        patched.setattr(rebuild, "fold_from", lambda *arguments, **named: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(CommandError):
            command()
    command()
    assert tables() == before


def test_start_over_and_discard(monkeypatch):
    merge(xml(1))
    command("--dry-run")
    assert "rebuilt already" not in command("--start-over", "--dry-run")
    assert "Dropped" in command("--discard")
    assert not rebuild_tables.exist(ALIAS)
    assert "nothing to drop" in command("--discard")


def test_tables_begun_before_an_update_are_not_taken():
    merge(xml(1))
    command("--dry-run")
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("ALTER TABLE rebuild.loot DROP COLUMN copper")
    with pytest.raises(CommandError, match="--start-over"):
        command()
    command("--start-over")


def test_one_rebuild_of_a_locale_at_a_time():
    said: list[str] = []

    def other() -> None:
        try:
            command()
        except CommandError as error:
            said.append(str(error))
        finally:
            connections.close_all()

    with rebuild.only_one("deDE"):
        thread = Thread(target=other)
        thread.start()
        thread.join(120)
    assert "Another rebuild of deDE is running" in said[0]


# --- uploads that can't be read any more ------------------------------------------------------------
def test_a_live_upload_whose_document_is_gone_stops_the_swap_unless_told_otherwise():
    [first, _] = merge(xml(1), xml(2))
    spool.archive().delete(first.document_name)
    before = tables()
    with pytest.raises(CommandError, match=f"(?s){first.id}: its document .* is not in the archive.*--without-missing"):
        command()
    assert tables() == before
    assert "uploads: 1 vanish, 0 appear, 0 change" in command("--without-missing")
    assert rows("SELECT uploads FROM creature") == [(1,)]


def test_a_live_upload_that_the_portal_does_not_know_stops_the_swap():
    [upload] = merge(xml(1))
    Upload.objects.all().delete()
    with pytest.raises(CommandError, match=f"{upload.id}: the portal's database does not know it"):
        command()


def test_a_document_that_is_still_in_the_spool_is_found_there():
    [upload] = merge(xml(1))
    with spool.archive().open(upload.document_name) as stored:
        spool.spool().save(upload.document_name, stored)
    spool.archive().delete(upload.document_name)
    assert ", equal to the live map" in command()


def test_withdrawn_and_rejected_uploads_are_not_rebuilt():
    uploads = merge(xml(1), xml(2), xml(3))
    Upload.objects.filter(id=uploads[0].id).update(status="rejected")
    Upload.objects.filter(id=uploads[1].id).update(status="withdrawn")
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("DELETE FROM ledger WHERE upload <> %s", [uploads[2].id])
    command()
    assert rows("SELECT uploads FROM creature") == [(1,)]


def test_uploads_that_wait_for_their_subtraction_do_not_hold_up_the_rebuild(monkeypatch):
    uploads = merge(xml(1), xml(2))
    lifecycle.withdraw([uploads[0].id])
    monkeypatch.setattr(rebuild, "LAST_ROUND", 0)
    command()
    assert rows("SELECT upload FROM ledger") == [(uploads[1].id,)]


def test_a_locale_without_uploads_can_be_rebuilt():
    assert "rebuilt from 0 uploads" in command()


def test_a_locale_that_is_not_hosted_is_told():
    with pytest.raises(CommandError, match="no map for"):
        call_command("rebuild", "xxXX")
