"""The endpoint, status by status."""

from __future__ import annotations

import errno
import gzip
from io import BytesIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.test import Client
from django.utils import timezone

from ingest import wake
from ingest.models import LocaleControl, Upload
from portal import accounts
from portal.api import limits
from portal.models import Player, Refusal, Token
from tests.conftest import ALL_DATABASES
from tests.ingest.factories import WRAPPINGS, document, element, loot, mob, zone

pytestmark = ALL_DATABASES

PATH = "/api/v1/uploads"
STEPS = ["read", "check", "look", "spool", "row"]
MERCHANTS = [element("Merchant", {"name": name}) for name in ("x", "y")]
XML = document(mob(zone("21.6/33,-1/-1,")), loot("+117#+1:0:0:1#"), *MERCHANTS)
MEDIA_TYPES = ["application/xml", "text/xml; charset=utf-8", "text/plain", "application/octet-stream", ""]


@pytest.fixture(autouse=True)
def fresh(monkeypatch) -> list[str]:
    """Collect wake-ups."""
    woken: list[str] = []
    monkeypatch.setattr(wake, "wake", woken.append)
    return woken


def send(client: Client, body: bytes = XML, query: str = "", content_type: str = "application/xml", **headers: str):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = client.generic("POST", PATH + query, body, content_type, headers=named)
    return answer, orjson.loads(answer.content)


def send_files(client: Client, *files: tuple[str, bytes], query: str = "") -> tuple[Any, dict[str, Any]]:
    answer = client.post(PATH + query, {"file": [SimpleUploadedFile(name, body) for name, body in files]})
    return answer, orjson.loads(answer.content)


def code(shown: dict[str, Any]) -> str:
    return shown["type"].rpartition("problem-")[2]


def assert_says_what_next(shown: dict[str, Any]) -> None:
    assert shown["may_retry"] in {True, False}
    assert shown["limits"]["document_bytes"] > 0
    assert shown["limits"]["body_bytes"] > 0


def spooled(own_spool: Path) -> int:
    return sum(path.is_file() for path in (own_spool / "spool").rglob("*"))


# --- taken ------------------------------------------------------------------------------------------
def test_an_upload_is_answered_with_its_receipt(client, fresh):
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
    assert fresh == ["deDE"]
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


def test_british_notes_belong_to_the_american_map(client):
    assert send(client, document(mob(), language="enGB"))[1]["locale"] == "enUS"


def test_a_dry_run_counts_and_stores_nothing(client, own_spool, fresh):
    answer, shown = send(client, query="?dry_run=1")
    assert answer.status_code == 200
    assert (shown["dry_run"], shown["status"], shown["positions"]) == (True, "valid", 2)
    assert not {"id", "url", "received_at"} & shown.keys()
    assert "Location" not in answer
    assert_says_what_next(shown)
    answer, problem = send(client, document(mob(id=0)), "?dry_run=1")
    assert (answer.status_code, code(problem)) == (422, "invalid-document")
    assert (Upload.objects.count(), Refusal.objects.count(), spooled(own_spool), fresh) == (0, 0, 0, [])


def test_a_dry_run_of_what_came_before_says_so(client):
    _, first = send(client)
    _, shown = send(client, query="?dry_run=1")
    assert (shown["duplicate"], shown["id"]) == (True, first["id"])


# --- who sends --------------------------------------------------------------------------------------
def test_a_token_ties_an_upload_to_its_player(client):
    token = accounts.issue("Anna")
    assert send(client, Authorization=f"Bearer {token}")[0].status_code == 202
    assert Upload.objects.get().sender == Player.objects.get().sender


def test_without_a_token_the_sender_is_a_keyed_hash_of_his_network(client):
    client.defaults["REMOTE_ADDR"] = "203.0.113.9"
    send(client)
    sender = Upload.objects.get().sender
    assert sender.startswith("network:")
    assert len(sender) == 40
    assert "203.0.113" not in sender


@pytest.mark.parametrize("header", ["Bearer mm_unknown", "Bearer ", "Basic YTpi", "bearer", "mm_x"])
def test_a_token_that_is_not_known_is_refused_and_not_taken_as_none(client, header):
    answer, problem = send(client, Authorization=header)
    assert (answer.status_code, code(problem)) == (401, "unknown-token")
    assert_says_what_next(problem)
    assert Upload.objects.count() == 0


@pytest.mark.parametrize("how", ["revoked", "switched off"])
def test_a_revoked_token_and_one_of_a_player_switched_off_are_refused(client, how):
    token = accounts.issue("Anna")
    if how == "revoked":
        accounts.revoke(Token.objects.values_list("id", flat=True))
    else:
        Player.objects.update(active=False)
    assert send(client, Authorization=f"Bearer {token}")[0].status_code == 401


def test_a_site_may_take_uploads_with_a_token_only(client, settings):
    settings.ANONYMOUS_UPLOADS = False
    answer, problem = send(client)
    assert (answer.status_code, code(problem)) == (401, "anonymous-not-allowed")
    assert send(client, Authorization=f"Bearer {accounts.issue('Anna')}")[0].status_code == 202


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
def test_a_refusal_has_a_stable_cause_says_what_next_and_is_remembered(client, own_spool, body, status, cause):
    answer, problem = send(client, body)
    assert answer["Content-Type"] == "application/problem+json"
    assert (answer.status_code, problem["status"], code(problem)) == (status, status, cause)
    assert problem["title"]
    assert problem["detail"]
    assert problem["may_retry"] is False
    assert_says_what_next(problem)
    remembered = Refusal.objects.get()
    assert (remembered.status_code, remembered.code, remembered.detail) == (status, cause, problem["detail"])
    assert remembered.errors == problem.get("errors", [])
    assert (Upload.objects.count(), spooled(own_spool)) == (0, 0)


def test_only_the_newest_refusals_are_kept_and_those_that_limits_count(client, settings):
    settings.REFUSALS_KEPT = 2
    for body in (b"1", b"2", b"3"):
        send(client, body)
    assert Refusal.objects.count() == 3
    Refusal.objects.update(refused_at=timezone.now() - limits.WINDOW)
    old = list(Refusal.objects.order_by("pk").values_list("pk", flat=True))
    send(client, b"4")
    assert set(Refusal.objects.values_list("pk", flat=True)) == {old[-1], old[-1] + 1}


def test_each_place_of_an_invalid_document_is_told(client):
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
def assert_later(answer: Any, problem: dict[str, Any], status: int, cause: str) -> None:
    assert (answer.status_code, code(problem), problem["may_retry"]) == (status, cause, True)
    assert int(answer["Retry-After"]) == problem["retry_after_s"] > 0
    assert_says_what_next(problem)
    assert Upload.objects.count() == 0
    assert Refusal.objects.count() == 0


def test_too_many_uploads_are_told_when_to_come_again(client, settings):
    settings.ANONYMOUS_UPLOADS_PER_HOUR = 0
    assert_later(*send(client), 429, "too-many-uploads")
    assert send(client, Authorization=f"Bearer {accounts.issue('Anna')}")[0].status_code == 202


def test_a_pause_is_told_with_the_admins_note(client):
    for locale in ("deDE", "enUS"):
        LocaleControl.objects.create(locale=locale, intake_paused=True, note="Moving house.")
    answer, problem = send(client)
    assert_later(answer, problem, 503, "intake-paused")
    assert "Moving house." in problem["detail"]


def test_a_pause_of_one_locale_leaves_the_other_open(client):
    LocaleControl.objects.create(locale="deDE", intake_paused=True)
    assert_later(*send(client), 503, "intake-paused")
    assert send(client, document(mob(), language="enUS"))[0].status_code == 202


def test_a_full_spool_is_told(client, settings):
    settings.SPOOL_MIN_FREE_BYTES = 1 << 60
    assert_later(*send(client), 503, "spool-full")


def test_too_much_waiting_is_told(client, settings):
    settings.SPOOL_MAX_WAITING_BYTES = -1
    assert_later(*send(client), 503, "spool-full")


def test_a_disk_that_fills_up_while_spooling_is_told_and_leaves_nothing(client, own_spool, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("os.fsync", full)
        assert_later(*send(client), 503, "spool-full")
    assert spooled(own_spool) == 0
    assert send(client)[0].status_code == 202


def test_a_disk_that_fills_up_while_a_form_is_read_is_told(client, monkeypatch, settings):
    settings.FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]

    def full(self: TemporaryUploadedFile, data: bytes) -> None:
        self.close()  # Django leaves that to the garbage collector, which would warn
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(TemporaryUploadedFile, "write", full, raising=False)
    assert_later(*send_files(client, ("a.xml", XML)), 503, "spool-full")


# --- forms ------------------------------------------------------------------------------------------
def test_one_file_by_form_is_answered_like_a_body(client):
    answer, shown = send_files(client, ("export.txt", WRAPPINGS["base64"](XML)))
    assert (answer.status_code, shown["status"], answer["Location"]) == (202, "queued", shown["url"])
    assert Upload.objects.get().file_name == "export.txt"
    answer, shown = send_files(client, ("export.txt", XML))
    assert (answer.status_code, shown["duplicate"]) == (200, True)
    answer, problem = send_files(client, ("export.txt", b"Hello"))
    assert (answer.status_code, code(problem)) == (400, "not-xml-nor-base64")
    assert Refusal.objects.get().file_name == "export.txt"


def test_several_files_are_answered_each_in_their_order(client):
    other = document(mob(), language="enUS")
    bodies = [XML, b"Hello", XML, gzip.compress(other), document(mob(id=0))]
    files = [(f"{number}.xml", body) for number, body in enumerate(bodies)]
    answer, shown = send_files(client, *files)
    assert answer.status_code == 207
    assert [result["file"] for result in shown["results"]] == [name for name, _ in files]
    assert [result["status"] for result in shown["results"]] == ["queued", 400, "queued", "queued", 422]
    assert [result.get("duplicate", False) for result in shown["results"]] == [False, False, True, False, False]
    assert all(result["may_retry"] is False for result in shown["results"])
    assert shown["results"][4]["errors"]
    assert shown["limits"]["files_per_request"] > 0
    assert (Upload.objects.count(), Refusal.objects.count()) == (2, 2)


def test_a_form_may_be_a_dry_run(client, own_spool):
    answer, shown = send_files(client, ("1.xml", XML), ("2.xml", document(mob())), query="?dry_run=1")
    assert answer.status_code == 207
    assert [result["status"] for result in shown["results"]] == ["valid", "valid"]
    assert (Upload.objects.count(), spooled(own_spool)) == (0, 0)


def test_every_file_of_a_form_counts_against_the_limit(client, settings):
    settings.ANONYMOUS_UPLOADS_PER_HOUR = 2
    assert_later(*send_files(client, ("1", XML), ("2", XML), ("3", XML)), 429, "too-many-uploads")


def test_a_form_with_too_many_files_or_bytes_is_too_large(client, settings):
    settings.MAX_FILES_PER_REQUEST = settings.DATA_UPLOAD_MAX_NUMBER_FILES = 2
    answer, problem = send_files(client, ("1", XML), ("2", XML), ("3", XML))
    assert (answer.status_code, code(problem)) == (413, "too-large")
    settings.MAX_REQUEST_BYTES = 100
    answer, problem = send_files(client, ("1", XML))
    assert (answer.status_code, code(problem)) == (413, "too-large")
    assert_says_what_next(problem)


def test_a_form_without_a_file_says_how_to_name_one(client):
    answer = client.post(PATH, {"upload": BytesIO(XML)})
    problem = orjson.loads(answer.content)
    assert (answer.status_code, code(problem)) == (400, "bad-multipart")
    assert "`file`" in problem["detail"]


def test_an_empty_file_of_a_form_is_an_empty_upload(client):
    answer, problem = send_files(client, ("1.xml", b""))
    assert (answer.status_code, code(problem)) == (400, "empty-body")


def test_a_form_is_not_compressed_as_a_whole(client):
    answer, problem = send(client, b"x", content_type="multipart/form-data; boundary=x", Content_Encoding="gzip")
    assert (answer.status_code, code(problem)) == (415, "unsupported-encoding")


def test_a_form_that_breaks_off_takes_nothing_that_is_not_whole(client):
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="1.xml"\r\n\r\n' + XML[:-20]
    answer, problem = send(client, body, content_type="multipart/form-data; boundary=x")
    assert answer.status_code == 400
    assert_says_what_next(problem)
    assert Upload.objects.count() == 0


def test_names_of_files_are_shown_as_text(client):
    _, shown = send_files(client, ("<script>.xml", XML), ("\u202egpj.xml", XML))
    assert shown["results"][0]["file"] == "<script>.xml"
    assert Upload.objects.get().file_name == "<script>.xml"
