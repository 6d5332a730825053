"""Documents that are too old leave the archive: what is merged stays, exactly, whatever happens on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connections
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ingest import lifecycle
from ingest.intake import spool
from ingest.maintenance import baseline, baseline_tables, rebuild, rebuild_tables, retention, subtract, withdrawals
from ingest.merge import chunks
from ingest.models import Upload
from ingest.queue import requeue
from tests import independent, merged_tables
from tests.ingest.factories import Note, contents, day, document, mob, notes, zone
from tests.ingest.maintenance.expiring import ALIAS, LONG_AGO, command, expire_these, files, forget_base, xml
from tests.ingest.pipeline import LAW, RECEIVED, empty, merge, rows, tables, take, work_off
from tests.threads import elsewhere

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables", "empty_base"),
]
SENDERS = ["player:1", "player:2", "network:a"]


def take_out(uploads: Sequence[Upload]) -> None:
    lifecycle.withdraw([upload.id for upload in uploads])
    withdrawals.finish_pending("deDE")


def without_names(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """Leave out what a withdrawal leaves behind on purpose: names in the dictionaries."""
    return {name: table for name, table in found.items() if name != "shown_as"}


def send(batch: Sequence[tuple[str, datetime, Note]]) -> list[Upload]:
    return [take(note.xml(), sender, when) for sender, when, note in batch]


batches = st.lists(notes(), min_size=2, max_size=6, unique_by=lambda note: contents(note.xml()).content_hash)
choices = st.lists(st.sampled_from(["expire", "withdraw", "keep"]), min_size=6, max_size=6)


# --- the laws ---------------------------------------------------------------------------------------
@hypothesis_settings(LAW, max_examples=10)
@given(batches, choices, st.booleans())
def test_tables_rebuilt_after_documents_expired_are_those_from_before(batch, fates, one_by_one) -> None:
    empty()
    forget_base()
    uploads = send([(SENDERS[no % 2], RECEIVED + timedelta(days=no % 2), note) for no, note in enumerate(batch)])
    work_off()
    before, ledger = tables(), rows("SELECT * FROM ledger ORDER BY content_hash")
    gone = [upload for upload, fate in zip(uploads, fates, strict=False) if fate == "expire"]
    for some in [[upload] for upload in gone] if one_by_one else [gone]:
        expire_these(some)
    assert tables() == before
    assert baseline_tables.count(ALIAS) == len(gone)
    assert [spool.archive().exists(upload.document_name) for upload in uploads] == [
        upload not in gone for upload in uploads
    ]
    assert ", equal to the live map" in command("rebuild", "deDE")
    assert tables() == before
    assert rows("SELECT * FROM ledger ORDER BY content_hash") == ledger
    counted = independent.count((SENDERS[no % 2], note.xml(version=note.shape)) for no, note in enumerate(batch))
    assert merged_tables.read(ALIAS) == independent.merged(counted)


@hypothesis_settings(LAW, max_examples=15)
@given(batches, choices, st.booleans(), st.sampled_from([1, 5, 500_000]))
def test_withdrawn_after_documents_of_others_expired_equals_never_merged(batch, fates, rebuilt, chunk) -> None:
    """One sender, so that days often hang on what other documents tell; places are cut into chunks and pieces."""
    sent = [("player:1", RECEIVED + timedelta(days=no), note) for no, note in enumerate(batch)]
    staying = [one for one, fate in zip(sent, fates, strict=False) if fate != "withdraw"]
    empty()
    forget_base()
    send(staying)
    work_off()
    expected = without_names(tables())

    empty()
    uploads = send(sent)
    work_off()
    by_fate = {
        fate: [upload for upload, its in zip(uploads, fates, strict=False) if its == fate]
        for fate in ("expire", "withdraw", "keep")
    }
    expire_these(by_fate["expire"])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chunks, "CHUNK_ENTRIES", chunk)
        if by_fate["withdraw"]:
            take_out(by_fate["withdraw"])
    if rebuilt:
        assert ", equal to the live map" in command("rebuild", "deDE")
    assert without_names(tables()) == expected


@hypothesis_settings(LAW, max_examples=15)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["1/1,", "1/1,2/2,", "2/2,2/2,3/3,", "-1/-1,1/1,"]),
            st.integers(0, 4),
            st.integers(0, 4),
            st.sampled_from(["expire", "withdraw", "keep"]),
        ),
        min_size=3,
        max_size=8,
    ),
    st.sampled_from([1, 3, 500_000]),
)
def test_days_are_those_of_the_documents_that_are_left_and_of_those_that_expired(seen, chunk):
    """One player at the same coordinates time and again: after a withdrawal only the other uploads tell the days."""

    def taken(no: int) -> Upload:
        places, first, last, _ = seen[no]
        text = document(mob(zone(places), max=40 + no, date=day(2024, 10, 4 + first)))
        return take(text, "player:1", RECEIVED + timedelta(days=last))

    fates = [fate for *_, fate in seen]
    empty()
    forget_base()
    for no, fate in enumerate(fates):
        if fate != "withdraw":
            taken(no)
    work_off()
    expected = without_names(tables())
    empty()
    uploads = [taken(no) for no in range(len(seen))]
    work_off()
    expire_these([upload for upload, fate in zip(uploads, fates, strict=True) if fate == "expire"])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chunks, "CHUNK_ENTRIES", chunk)
        take_out([upload for upload, fate in zip(uploads, fates, strict=True) if fate == "withdraw"])
    assert without_names(tables()) == expected


@pytest.mark.parametrize("step", ["_read_others_ahead", "_keep_wanted"])
def test_what_expires_while_another_is_subtracted_counts_once(step, monkeypatch):
    """Before the documents of the same sender are read, and after that, before the fold lock is taken."""

    def seen_on(no: int) -> Upload:
        text = document(mob(zone("1/1,"), max=40 + no, date=day(2024, 10, 4 + no)))
        return take(text, "player:1", RECEIVED + timedelta(days=no))

    uploads = [seen_on(no) for no in range(3)]
    work_off()
    original = getattr(subtract, step)

    def expire_then(*arguments: Any) -> Any:
        monkeypatch.setattr(subtract, step, original)
        done = original(*arguments) if step == "_read_others_ahead" else None
        elsewhere(lambda: expire_these([uploads[1]]))
        return original(*arguments) if step == "_keep_wanted" else done

    monkeypatch.setattr(subtract, step, expire_then)
    take_out([uploads[0]])
    assert baseline_tables.count(ALIAS) == 1
    found = tables()
    empty()
    for no in (1, 2):
        seen_on(no)
    work_off()
    assert without_names(found) == without_names(tables())


# --- interrupted ------------------------------------------------------------------------------------
class Crash(BaseException):
    """The process dies here."""


def crash_at(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let expiring die at a step: before it, or after what it does."""

    def dies_before(*arguments: Any, **named: Any) -> None:
        raise Crash

    def dies_after(original: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **named: Any) -> None:
            original(*arguments, **named)
            raise Crash

        return run

    if step == "marked":
        monkeypatch.setattr(retention, "_finish", dies_before)
    elif step == "staged":
        monkeypatch.setattr(baseline, "fold_from", dies_before)
    elif step == "folded, not committed":
        monkeypatch.setattr(baseline, "fold_from", dies_after(baseline.fold_from))
    elif step == "in the baseline":
        monkeypatch.setattr(spool, "drop_from_archive", dies_before)
    elif step == "one document deleted":
        monkeypatch.setattr(
            spool, "drop_from_archive", dies_after(lambda names: spool.archive().delete(sorted(names)[0]))
        )
    elif step == "all deleted":
        monkeypatch.setattr(spool, "drop_from_archive", dies_after(spool.drop_from_archive))


STEPS = ["marked", "staged", "folded, not committed", "in the baseline", "one document deleted", "all deleted"]


@pytest.mark.parametrize("step", STEPS)
def test_whatever_dies_on_the_way_every_count_stays_once(step, monkeypatch):
    uploads = merge(xml(1), xml(2), xml(3))
    before = tables()
    with monkeypatch.context() as patched:
        crash_at(step, patched)
        with pytest.raises(Crash):
            retention.expire("deDE", LONG_AGO)
    assert tables() == before
    assert lifecycle.withdraw([upload.id for upload in uploads]) == 0, "what is in base can't be subtracted"
    assert ", equal to the live map" in command("rebuild", "deDE")
    assert retention.expire("deDE", LONG_AGO) == 3
    assert files() == []
    assert baseline_tables.count(ALIAS) == 3
    assert ", equal to the live map" in command("rebuild", "deDE")
    assert tables() == before
    assert retention.expire("deDE", LONG_AGO) == 0


def test_a_row_whose_name_of_the_document_could_not_be_taken_away_is_finished_later(monkeypatch):
    merge(xml(1))
    before = tables()
    retention.expire("deDE", LONG_AGO)
    Upload.objects.update(document_name="aa/gone.xml.zst")
    assert retention.extent(lifecycle.expiring("deDE")).uploads == 1
    assert retention.expire("deDE", LONG_AGO) == 1
    assert tables() == before


# --- what does not expire ---------------------------------------------------------------------------
def test_only_old_settled_uploads_expire():
    old, young, back, gone = merge(xml(1), xml(2), xml(3), xml(4))
    cutoff = RECEIVED + timedelta(days=1)
    Upload.objects.filter(id=young.id).update(received_at=cutoff + timedelta(hours=1))
    Upload.objects.filter(id=back.id).update(status="rejected", rejected_at=cutoff - timedelta(hours=1))
    take_out([gone])
    waiting = take(xml(5))
    assert retention.expire("deDE", cutoff) == 2
    left = {upload.id for upload in Upload.objects.exclude(document_name="")}
    assert left == {young.id, gone.id, waiting.id}, "withdrawn only now, and can be restored for as long"
    assert baseline_tables.count(ALIAS) == 1
    Upload.objects.filter(id=gone.id).update(withdrawn_at=cutoff - timedelta(hours=1))
    assert retention.expire("deDE", cutoff) == 1
    assert lifecycle.restore([gone.id]) == 0
    assert rows("SELECT upload FROM baseline.ledger") == [(old.id,)]


def test_a_document_that_cannot_be_read_stays_and_its_upload_is_as_before(caplog):
    uploads = merge(xml(1), xml(2))
    spool.archive().delete(uploads[0].document_name)
    assert retention.expire("deDE", LONG_AGO) == 1
    assert f"{uploads[0].id} could not expire" in caplog.text
    uploads[0].refresh_from_db()
    assert (uploads[0].expired_at, uploads[0].document_name != "") == (None, True)
    assert baseline_tables.count(ALIAS) == 1


def test_a_document_that_cannot_be_deleted_counts_once_and_is_tried_again(monkeypatch, caplog):
    [upload] = merge(xml(1))
    with monkeypatch.context() as patched:
        patched.setattr(
            spool, "drop_from_archive", lambda names: {name: OSError("the store is away") for name in names}
        )
        assert retention.expire("deDE", LONG_AGO) == 0
    assert "the store is away" in caplog.text
    assert lifecycle.withdraw([upload.id]) == 0
    assert retention.expire("deDE", LONG_AGO) == 1
    assert rows("SELECT uploads FROM baseline.creature") == [(1,)]


def test_a_store_that_is_away_is_not_asked_for_every_document(monkeypatch):
    merge(*(xml(number) for number in range(8)))
    before, asked = tables(), list[str]()
    archive = spool.archive()

    def away(name: str, mode: str = "rb") -> Any:
        asked.append(name)
        raise OSError("the store is away")

    with monkeypatch.context() as patched:
        patched.setattr(archive, "open", away)
        with pytest.raises(OSError, match="the store is away"):
            retention.expire("deDE", LONG_AGO)
    assert len(asked) == retention.STORE_FAULTS
    assert retention.expire("deDE", LONG_AGO) == 8
    assert ", equal to the live map" in command("rebuild", "deDE")
    assert tables() == before


def test_what_a_restored_map_lacks_is_not_deleted_but_requeued(caplog):
    merge(xml(1))
    before = tables()
    with connections[ALIAS].cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(rebuild_tables.KEYS)}")
    assert retention.expire("deDE", LONG_AGO) == 0
    assert "not in the locale's tables" in caplog.text
    assert files() != []
    requeue.select(Upload.objects.all())
    requeue.add_selected()
    requeue.draw("deDE", "wake-up")
    work_off()
    assert tables() == before
    assert retention.expire("deDE", LONG_AGO) == 1


def test_a_rebuild_keeps_the_documents_it_was_begun_with():
    merge(xml(1))
    command("rebuild", "deDE", "--dry-run")
    with pytest.raises(retention.RebuildInProgress):
        retention.expire("deDE", LONG_AGO)
    with pytest.raises(CommandError, match="--discard"):
        command("expire", "--days", "1", "--yes")
    command("rebuild", "deDE")
    assert retention.expire("deDE", RECEIVED + timedelta(days=1)) == 1


def test_while_a_rebuild_runs_nothing_expires():
    merge(xml(1))
    with rebuild.only_one("deDE"):
        failures: list[BaseException] = []

        def run() -> None:
            try:
                retention.expire("deDE", LONG_AGO)
            except retention.RebuildInProgress as error:
                failures.append(error)

        elsewhere(run)
    assert len(failures) == 1
    assert len(files()) == 1
