"""What is left to do with uploads whose documents are deleted, the hourly round, and the command."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import OperationalError
from django.utils import timezone

from ingest.maintenance import rebuild_tables, retention
from ingest.models import Requeued, Upload
from ingest.queue import requeue, tasks
from tests.ingest.factories import document, mob, zone
from tests.ingest.maintenance.expiring import LONG_AGO, command, expire_these, files, forget_base, xml
from tests.ingest.pipeline import merge, rows, tables, take, work_off

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables", "empty_base"),
]


# --- what nobody can do any more --------------------------------------------------------------------
def test_what_expired_is_not_put_back_to_work():
    [upload] = merge(xml(1))
    retention.expire("deDE", LONG_AGO)
    assert requeue.select(Upload.objects.all()) == {}
    Requeued.objects.create(locale="deDE", upload=upload.id)
    assert requeue.draw("deDE", "wake-up").queued == 0
    assert not Requeued.objects.exists()


def test_requeue_tells_what_an_older_backup_has_lost(capsys):
    [first, _] = merge(xml(1), xml(2))
    expire_these([first])
    assert "deDE: 1 upload" in command("requeue", "--dry-run")
    assert capsys.readouterr().err == ""
    forget_base()
    command("requeue", "--dry-run")
    assert "deDE: 1 upload more can't be merged again" in capsys.readouterr().err


def test_the_same_notes_sent_again_are_a_duplicate():
    [upload] = merge(xml(1))
    before = tables()
    retention.expire("deDE", LONG_AGO)
    assert take(xml(1)).id == upload.id
    work_off()
    assert tables() == before


def test_withdraw_says_how_many_it_can_not_take_out():
    old, _ = merge(xml(1), xml(2))
    expire_these([old])
    said = command("withdraw", "--sender", "player:1", "--dry-run")
    assert "1 upload stays on the map and can no longer be withdrawn" in said
    assert "deDE: 1 upload of 1 sender" in said
    assert "1 upload withdrawn" in command("withdraw", "--sender", "player:1", "--yes")
    with pytest.raises(CommandError, match="its document was deleted from the archive"):
        command("withdraw", "--sender", "player:1", "--yes")
    assert rows("SELECT uploads FROM creature") == [(1,)]


def test_a_rebuild_says_what_it_carries_over():
    old, _ = merge(xml(1), xml(2))
    expire_these([old])
    said = command("rebuild", "deDE")
    assert "deDE: 1 merged uploads" in said
    assert "1 more come from the baseline" in said
    assert "rebuilt already" not in said
    assert "rebuilt from 2 uploads" in said


def test_owners_of_names_are_decided_over_all_that_is_carried_over():
    named = merge(document(mob(zone(level=None), name="Kodo", id=None), version=42))
    merge(document(mob(name="Kodo", id=5)))
    before = tables()
    expire_these(named)
    assert ", equal to the live map" in command("rebuild", "deDE")
    assert rows("SELECT name, shown_as FROM named_creature") == [("Kodo", 5)]
    assert tables() == before
    retention.expire("deDE", LONG_AGO)
    assert ", equal to the live map" in command("rebuild", "deDE")
    assert rows("SELECT name, shown_as FROM named_creature") == [("Kodo", 5)]


def test_nothing_is_published_again_because_a_document_expires():
    merge(xml(1))
    tables()
    retention.expire("deDE", LONG_AGO)
    assert rows("SELECT count(*) FROM stale_spawns") == rows("SELECT count(*) FROM changed_count") == [(0,)]


# --- the hourly round and the command ---------------------------------------------------------------
def test_without_a_limit_nothing_expires():
    merge(xml(1))
    Upload.objects.update(received_at=timezone.now() - timedelta(days=5000))
    tasks.clean_up()
    assert len(files()) == 1
    with pytest.raises(CommandError, match="kept without limit"):
        command("expire")


def test_the_hourly_round_deletes_what_is_too_old(settings):
    settings.ARCHIVE_DAYS = 30
    old, young = merge(xml(1), xml(2))
    Upload.objects.filter(id=old.id).update(received_at=timezone.now() - timedelta(days=31))
    Upload.objects.filter(id=young.id).update(received_at=timezone.now() - timedelta(days=29))
    tasks.clean_up()
    assert files() == [young.document_name.partition("/")[2]]
    old.refresh_from_db()
    assert (old.document_name, old.kept_days) == ("", 31)


def test_a_round_takes_its_time_and_the_next_one_goes_on(settings, monkeypatch):
    settings.ARCHIVE_DAYS = 30
    monkeypatch.setattr(retention, "RUN_S", 0.0)
    merge(xml(1))
    Upload.objects.update(received_at=timezone.now() - timedelta(days=31))
    tasks.clean_up()
    assert len(files()) == 1
    monkeypatch.setattr(retention, "RUN_S", 60.0)
    tasks.clean_up()
    assert files() == []


def test_a_database_that_is_away_stops_no_other_locale(settings, monkeypatch, caplog):
    settings.ARCHIVE_DAYS = 30
    asked: list[str] = []

    def away(locale: str, before: datetime, **named: Any) -> int:
        asked.append(locale)
        raise OperationalError("the server is away")

    monkeypatch.setattr(retention, "expire", away)
    tasks.clean_up()
    assert asked == ["enUS", "deDE"]
    assert "the next run tries again" in caplog.text


def test_many_documents_expire_in_small_steps(monkeypatch):
    monkeypatch.setattr(retention, "STEP_BYTES", 1)
    merge(*(xml(number) for number in range(5)))
    before, seen = tables(), list[int]()
    assert retention.expire("deDE", LONG_AGO, report=seen.append) == 5
    assert seen == [1, 2, 3, 4, 5]
    assert ", equal to the live map" in command("rebuild", "deDE")
    assert tables() == before


def test_the_command_looks_first_and_asks():
    merge(xml(1), xml(2))
    Upload.objects.update(received_at=timezone.now() - timedelta(days=40))
    said = command("expire", "--days", "30", "--dry-run")
    assert "deDE: documents of 2 uploads from before" in said
    assert "of XML" in said
    assert "nothing was deleted" in said
    with pytest.raises(CommandError, match="add --yes"):
        command("expire", "--days", "30")
    assert len(files()) == 2
    assert "No document in the archive is from before" in command("expire", "--days", "41", "--dry-run")
    assert "2 documents were deleted." in command("expire", "--days", "30", "--yes")
    assert files() == []


def test_base_has_the_columns_of_the_live_tables():
    """A migration that changes the live tables changes those of `base`, too: nothing else could make them again."""
    query = (
        "SELECT table_name, column_name, data_type, is_nullable, generation_expression"
        " FROM information_schema.columns WHERE table_schema = '{}' ORDER BY 1, 2"
    )
    live = [row for row in rows(query.format("public")) if row[0] in rebuild_tables.KEYS]
    assert rows(query.format("baseline")) == live
