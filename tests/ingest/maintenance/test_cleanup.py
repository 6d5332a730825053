"""The hourly round finishes what a crash left half done, and touches nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path
from uuid import UUID, uuid4

from django.utils import timezone

from ingest.intake import archive, spool
from ingest.maintenance.cleanup import ORPHAN_AGE, drop_orphans
from ingest.models import Upload
from ingest.queue import tasks
from tests.conftest import ALL_DATABASES
from tests.portal import rows

pytestmark = ALL_DATABASES

OLD_S = ORPHAN_AGE.total_seconds() + 60


def document(own_spool: Path, name: str, *, age_s: float = OLD_S) -> Path:
    path = own_spool / "spool" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    os.utime(path, (time.time() - age_s,) * 2)
    return path


def upload(name: str, **values: object) -> Upload:
    return rows.upload(document_name=name, **values)


def test_merged_and_rejected_documents_left_in_the_spool_are_archived(own_spool):
    for name, status in (("aa/1", "merged"), ("bb/2", "rejected"), ("cc/3", "queued"), ("dd/4", "staged")):
        document(own_spool, name)
        upload(name, status=status, merged_at=timezone.now() if status == "merged" else None)
    tasks.clean_up()
    assert [spool.archive().exists(name) for name in ("aa/1", "bb/2", "cc/3", "dd/4")] == [True, True, False, False]
    assert list(Upload.objects.order_by("document_name").values_list("archived", flat=True)) == [
        True,
        True,
        False,
        False,
    ]
    assert spool.spool().exists("cc/3")
    assert spool.spool().exists("dd/4"), "what is staged may have to be read again"


def test_a_document_that_was_moved_before_the_crash_is_only_marked(own_spool):
    document(own_spool, "aa/1")
    assert spool.move_to_archive(["aa/1"]) == {}
    upload("aa/1", status="merged")
    tasks.clean_up()
    assert Upload.objects.get().archived


def test_a_missing_document_does_not_stop_the_round(own_spool):
    upload("aa/0", status="merged")
    document(own_spool, "bb/2")
    upload("bb/2", status="merged")
    tasks.clean_up()
    assert spool.archive().exists("bb/2")


def test_however_many_documents_are_missing_the_others_are_archived(own_spool, monkeypatch, caplog):
    monkeypatch.setattr(archive, "PAGE", 2)
    for number in range(12):
        upload(f"aa/{number}", id=UUID(int=number + 1), status="merged")
    document(own_spool, "bb/last")
    last = upload("bb/last", id=UUID(int=100), status="merged")
    tasks.clean_up()
    last.refresh_from_db()
    assert last.archived
    assert Upload.objects.filter(archived=False).count() == 12
    assert caplog.text.count("could not be archived") == 12


def test_a_long_list_of_missing_documents_is_told_shortly(own_spool, caplog):
    for number in range(30):
        upload(f"aa/{number}", status="merged")
    tasks.clean_up()
    assert caplog.text.count("The document of upload") == 10
    assert "20 more documents could not be archived" in caplog.text


def test_old_documents_without_a_row_are_dropped(own_spool):
    document(own_spool, "aa/orphan")
    document(own_spool, "aa/.orphan.part")
    known, young = document(own_spool, "aa/known"), document(own_spool, "aa/young", age_s=60)
    upload("aa/known")
    assert drop_orphans() == 2
    assert sorted(path.name for path in (own_spool / "spool" / "aa").iterdir()) == sorted([known.name, young.name])


def test_a_document_with_a_row_is_kept_however_old(own_spool, django_assert_num_queries):
    id_ = uuid4()
    name = spool.document_name(str(id_))
    document(own_spool, name)
    upload(name, id=id_)
    with django_assert_num_queries(1):
        assert drop_orphans() == 0
    assert spool.spool().exists(name)


def test_a_site_that_never_took_anything_is_tidy(own_spool):
    assert not (own_spool / "spool").exists()
    tasks.clean_up()


def test_a_document_that_goes_while_the_round_looks_at_it_does_no_harm(own_spool, monkeypatch):
    gone = document(own_spool, "aa/orphan")
    storage = spool.spool()
    looking = storage.get_modified_time

    def too_late(name: str):
        gone.unlink()
        return looking(name)

    monkeypatch.setattr(storage, "get_modified_time", too_late)
    assert drop_orphans() == 0
