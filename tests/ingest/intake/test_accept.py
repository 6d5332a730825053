"""From bytes to a row that is never lost: what is kept, in which order, and what is left when it can't be."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from ingest import lifecycle
from ingest.intake import spool
from ingest.intake.accept import Accepted, accept
from ingest.models import Upload
from ingest.problems import IntakePaused, InvalidDocument, NotWellFormed, SpoolFull, UploadLocaleNotHosted
from tests.conftest import ALL_DATABASES
from tests.ingest.factories import WRAPPINGS, document, loot, mob, zone

pytestmark = [ALL_DATABASES, pytest.mark.usefixtures("wakes")]

XML = document(mob(zone("21.6/33,-1/-1,")), loot("+117#+1:0:0:1#"))


def take(body: bytes = XML, *, sender: str = "player:1", file_name: str = "", dry_run: bool = False) -> Accepted:
    return accept(iter([body]), "", sender, file_name, check_locale=lambda locale: None, dry_run=dry_run)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_an_accepted_document_has_a_row_and_lies_in_the_spool(own_spool):
    upload = take(file_name="export.txt").upload
    row = Upload.objects.get()
    assert row.id == upload.id
    assert (row.locale, row.version, row.game_version, row.sender) == ("deDE", 44, "3.3.5|test", "player:1")
    assert (row.mobs, row.positions, row.lootings, row.ignored) == (1, 2, 2, {})
    assert (row.size_bytes, row.file_name, row.status, row.archived) == (len(XML), "export.txt", "queued", False)
    with spool.opened(spool.spool(), row.document_name) as stored:
        assert stored.read() == XML


def test_workers_of_its_locale_are_woken(wakes):
    take()
    take(document(language="enGB"))
    assert wakes == ["deDE", "enUS"]


def test_the_document_is_synced_and_named_before_its_row_is_committed(own_spool, monkeypatch):
    order: list[str] = []
    fsync, rename = os.fsync, Path.rename

    def noting_fsync(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        order.append("folder synced" if path.is_dir() else "file synced")
        fsync(descriptor)

    def noting_rename(self: Path, target: Path) -> Path:
        order.append("named")
        return rename(self, target)

    def noting_insert(execute, sql, params, many, context):
        if "INSERT INTO" in sql:
            order.append("row inserted")
        return execute(sql, params, many, context)

    monkeypatch.setattr(os, "fsync", noting_fsync)
    monkeypatch.setattr(Path, "rename", noting_rename)
    with connection.execute_wrapper(noting_insert):
        take()
    assert list(dict.fromkeys(order)) == ["file synced", "named", "folder synced", "row inserted"]
    assert order[-1] == "row inserted"


@pytest.mark.parametrize("wrapping", sorted(WRAPPINGS))
def test_the_same_content_in_another_wrapping_is_a_duplicate(own_spool, wakes, wrapping):
    first = take().upload
    again = take(WRAPPINGS[wrapping](XML), sender="player:2")
    assert (again.duplicate, again.upload.id) == (True, first.id)
    assert Upload.objects.count() == 1
    assert len(files(own_spool / "spool")) == 1
    assert wakes == ["deDE"]


def test_british_and_american_notes_are_one_map_and_one_content():
    first, again = take(document(mob(), language="enGB")), take(document(mob(), language="enUS"))
    assert first.upload.locale == "enUS"
    assert again.duplicate


def test_the_same_content_in_two_locales_is_two_uploads():
    assert not take(document(mob(), language="enUS")).duplicate
    assert not take(document(mob(), language="deDE")).duplicate


def test_a_rejected_content_may_be_sent_again():
    first = take().upload
    Upload.objects.update(status=Upload.Status.REJECTED)
    assert take().upload.id != first.id


def test_of_two_that_bring_the_same_content_at_once_one_is_the_duplicate(own_spool, monkeypatch):
    first = take().upload
    looks: list[int] = []
    find = lifecycle.find

    def too_early(locale: str, content_hash: bytes) -> Upload | None:
        looks.append(1)
        return None if len(looks) == 1 else find(locale, content_hash)

    monkeypatch.setattr(lifecycle, "find", too_early)
    again = take()
    assert (again.duplicate, again.upload.id) == (True, first.id)
    assert len(files(own_spool / "spool")) == 1


def test_a_dry_run_checks_everything_and_keeps_nothing(own_spool, wakes):
    accepted = take(dry_run=True)
    assert (accepted.duplicate, accepted.upload.positions) == (False, 2)
    with pytest.raises(InvalidDocument):
        take(document(mob(id=0)), dry_run=True)
    assert Upload.objects.count() == 0
    assert files(own_spool) == []
    assert wakes == []


def test_a_dry_run_tells_of_a_duplicate():
    first = take().upload
    assert take(dry_run=True).upload.id == first.id


@pytest.mark.parametrize("body", [document(mob(id=0)), XML[:-1], document(language="frFR")])
def test_a_refused_document_leaves_nothing(own_spool, wakes, body):
    with pytest.raises((InvalidDocument, NotWellFormed, UploadLocaleNotHosted)):
        take(body)
    assert Upload.objects.count() == 0
    assert files(own_spool) == []
    assert wakes == []


def test_a_locale_that_is_not_hosted_is_refused_with_those_that_are():
    with pytest.raises(UploadLocaleNotHosted) as refused:
        take(document(language="frFR"))
    assert refused.value.members["hosted"] == ["enUS", "deDE"]


def test_a_paused_locale_keeps_nothing_but_knows_its_duplicates(own_spool):
    def paused(locale: str) -> None:
        raise IntakePaused(f"{locale} is paused.", retry_after_s=1)

    with pytest.raises(IntakePaused):
        accept(iter([XML]), "", "player:1", "", check_locale=paused, dry_run=False)
    assert files(own_spool) == []
    first = take().upload
    again = accept(iter([XML]), "", "player:1", "", check_locale=paused, dry_run=False)
    assert (again.duplicate, again.upload.id) == (True, first.id)


@pytest.mark.parametrize("synced", ["file", "folder"])
def test_a_disk_that_fills_up_while_spooling_is_told_and_leaves_nothing(own_spool, monkeypatch, wakes, synced):
    fsync = os.fsync

    def full(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").readlink().is_dir() == (synced == "folder"):
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SpoolFull, match="No space left on device"):
        take()
    assert Upload.objects.count() == 0
    assert files(own_spool) == []
    assert wakes == []


def test_a_disk_that_fills_up_while_a_large_document_is_checked_is_told(own_spool, settings):
    settings.FILE_UPLOAD_TEMP_DIR = str(own_spool / "missing")
    with pytest.raises(SpoolFull, match="while it was checked"):
        take(document(mob(zone("1/1," * 300_000))))
    assert Upload.objects.count() == 0


def test_a_sender_who_goes_away_is_no_full_disk():
    def broken() -> Iterator[bytes]:
        yield XML[:100]
        raise ConnectionResetError("Connection reset by peer")

    with pytest.raises(ConnectionResetError):
        accept(broken(), "", "player:1", "", check_locale=lambda locale: None, dry_run=False)
    assert Upload.objects.count() == 0


def test_a_document_stays_when_nobody_knows_whether_its_row_was_committed(own_spool):
    def lost(execute, sql, params, many, context):
        if "INSERT INTO" in sql:
            execute(sql, params, many, context)
            raise OperationalError("server closed the connection unexpectedly")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(lost), pytest.raises(OperationalError):
        take()
    assert len(files(own_spool / "spool")) == 1


def test_the_day_it_came_is_now():
    before = timezone.now()
    assert before <= take().upload.received_at <= timezone.now()


def test_a_file_name_is_kept_without_what_cannot_be_printed():
    assert take(file_name="a\u202eb\n\x00<i>" + "x" * 300).upload.file_name == ("ab<i>" + "x" * 300)[:200]
