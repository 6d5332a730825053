"""The upload endpoint, status by status."""

from __future__ import annotations

import errno
import gzip

import orjson
import pytest

from ingest.models import LocaleControl, Upload
from portal import accounts
from portal.models import Refusal
from tests.conftest import ALL_DATABASES
from tests.ingest.factories import WRAPPINGS, document, loot, mob, zone
from tests.portal.api.sending import PATH, XML, assert_later, assert_says_what_next, code, send, spooled

pytestmark = [ALL_DATABASES, pytest.mark.usefixtures("woken")]

STEPS = ["read", "check", "look", "spool", "row"]
MEDIA_TYPES = ["application/xml", "text/xml; charset=utf-8", "text/plain", "application/octet-stream", ""]


# --- accepted ------------------------------------------------------------------------------------------
def test_an_upload_is_answered_with_its_receipt(client, woken):
    answer, shown = send(client)
    upload = Upload.objects.get()
    assert answer.status_code == 202
    assert answer["Location"] == shown["url"] == f"{PATH}/{upload.id}"
    assert shown["id"] == str(upload.id)
    counts = {name: shown[name] for name in ("status", "locale", "version", "mobs", "positions", "lootings", "ignored")}
    assert counts == {
        "status": "queued",
        "locale": "deDE",
        "version": 44,
        "mobs": 1,
        "positions": 2,
        "lootings": 2,
        "ignored": {"Merchant": 2},
    }
    assert_says_what_next(shown)
    assert [step.split(";")[0].strip() for step in answer["Server-Timing"].split(",")] == STEPS
    assert woken == ["deDE"]
    assert orjson.loads(client.get(answer["Location"]).content)["status"] == "queued"


@pytest.mark.parametrize("wrapping", sorted(WRAPPINGS))
@pytest.mark.parametrize("content_type", MEDIA_TYPES)
def test_every_wrapping_is_taken_as_every_media_type(client, wrapping, content_type):
    answer, _ = send(client, WRAPPINGS[wrapping](XML), content_type=content_type)
    assert answer.status_code == 202


def test_a_content_encoding_is_taken(client):
    assert send(client, gzip.compress(XML), Content_Encoding="gzip")[0].status_code == 202


def test_content_that_came_before_is_a_duplicate_of_the_first(client, own_spool):
    _, first = send(client)
    Upload.objects.update(status="merged")
    answer, again = send(client, WRAPPINGS["gzip of base64"](XML))
    assert answer.status_code == 200
    assert (again["duplicate"], again["id"], again["status"]) == (True, first["id"], "merged")
    assert answer["Location"] == first["url"]
    assert_says_what_next(again)
    assert (Upload.objects.count(), spooled(own_spool)) == (1, 1)


def test_british_uploads_belong_to_the_american_map(client):
    assert send(client, document(mob(), language="enGB"))[1]["locale"] == "enUS"


def test_a_dry_run_counts_and_stores_nothing(client, own_spool, woken):
    answer, shown = send(client, query="?dry_run=1")
    assert answer.status_code == 200
    assert (shown["dry_run"], shown["status"], shown["positions"]) == (True, "valid", 2)
    assert not {"id", "url", "received_at"} & shown.keys()
    assert "Location" not in answer
    assert_says_what_next(shown)
    answer, problem = send(client, document(mob(id=0)), "?dry_run=1")
    assert (answer.status_code, code(problem)) == (422, "invalid-document")
    assert (Upload.objects.count(), Refusal.objects.count(), spooled(own_spool), woken) == (0, 0, 0, [])


def test_a_dry_run_of_what_came_before_says_so(client):
    _, first = send(client)
    _, shown = send(client, query="?dry_run=1")
    assert (shown["duplicate"], shown["id"]) == (True, first["id"])


# --- refused ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("body", "status", "cause"),
    [
        (b"", 400, "empty-body"),
        (b"Hello", 400, "not-xml-nor-base64"),
        (XML[:-1], 400, "not-well-formed"),
        (XML.replace(b"Last", b"\xff"), 400, "not-utf8"),
        (b"PE1v*", 400, "bad-base64"),
        (gzip.compress(XML)[:-1], 400, "bad-compression"),
        (b"<!DOCTYPE a>" + XML, 422, "invalid-document"),
        (document(mob(id=0)), 422, "invalid-document"),
        (document(language="frFR"), 422, "locale-not-hosted"),
    ],
)
def test_a_refusal_has_a_stable_cause_says_what_next_and_is_recorded(client, own_spool, body, status, cause):
    answer, problem = send(client, body)
    assert answer["Content-Type"] == "application/problem+json"
    assert (answer.status_code, problem["status"], code(problem)) == (status, status, cause)
    assert problem["title"]
    assert problem["detail"]
    assert problem["may_retry"] is False
    assert_says_what_next(problem)
    recorded = Refusal.objects.get()
    assert (recorded.status_code, recorded.code, recorded.detail) == (status, cause, problem["detail"])
    assert recorded.errors == problem.get("errors", [])
    assert (Upload.objects.count(), spooled(own_spool)) == (0, 0)


def test_each_error_of_an_invalid_document_is_listed(client):
    _, problem = send(client, document(mob(id=0), loot("+x#")))
    assert [sorted(error) for error in problem["errors"]] == [["code", "message", "where"]] * 2


def test_what_is_too_large_is_refused_as_sent_unpacked_and_as_xml(client, settings):
    settings.MAX_BODY_BYTES, settings.MAX_DOCUMENT_BYTES = 5_000, 4_000
    many = document(mob(zone("1/1," * 1_100)))
    for body in (many + b" " * 2_000, many, gzip.compress(many), WRAPPINGS["base64"](many)):
        answer, problem = send(client, body)
        assert (answer.status_code, code(problem)) == (413, "too-large")
        assert_says_what_next(problem)


@pytest.mark.parametrize("content_type", ["image/png", "application/json", "text/html"])
def test_another_media_type_is_refused(client, content_type):
    answer, problem = send(client, content_type=content_type)
    assert (answer.status_code, code(problem)) == (415, "unsupported-media-type")
    assert_says_what_next(problem)


def test_another_encoding_is_refused(client):
    answer, problem = send(client, Content_Encoding="br")
    assert (answer.status_code, code(problem)) == (415, "unsupported-encoding")


def test_the_endpoint_takes_post_only(client):
    answer = client.get(PATH)
    assert (answer.status_code, answer["Allow"]) == (405, "POST")


# --- not now ----------------------------------------------------------------------------------------
def test_too_many_uploads_are_refused_with_the_time_to_wait(client, settings):
    settings.ANONYMOUS_UPLOADS_PER_HOUR = 0
    assert_later(*send(client), 429, "too-many-uploads")
    assert send(client, Authorization=f"Bearer {accounts.issue('Anna')}")[0].status_code == 202


def test_a_pause_is_answered_with_the_admins_note(client):
    for locale in ("deDE", "enUS"):
        LocaleControl.objects.create(locale=locale, intake_paused=True, note="Moving house.")
    answer, problem = send(client)
    assert_later(answer, problem, 503, "intake-paused")
    assert "Moving house." in problem["detail"]


def test_a_pause_of_one_locale_does_not_pause_the_other(client):
    LocaleControl.objects.create(locale="deDE", intake_paused=True)
    assert_later(*send(client), 503, "intake-paused")
    assert send(client, document(mob(), language="enUS"))[0].status_code == 202


def test_a_full_spool_refuses_uploads(client, settings):
    settings.SPOOL_MIN_FREE_BYTES = 1 << 60
    assert_later(*send(client), 503, "spool-full")


def test_too_many_waiting_bytes_refuse_uploads(client, settings):
    settings.SPOOL_MAX_WAITING_BYTES = -1
    assert_later(*send(client), 503, "spool-full")


def test_a_disk_that_fills_up_while_spooling_is_answered_with_503_and_leaves_nothing(client, own_spool, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("os.fsync", full)
        assert_later(*send(client), 503, "spool-full")
    assert spooled(own_spool) == 0
    assert send(client)[0].status_code == 202
