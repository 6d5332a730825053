"""Forms with several files: each document is accepted or refused by itself."""

from __future__ import annotations

import gzip
from io import BytesIO

import orjson
import pytest

from ingest.models import Upload
from portal.models import Refusal
from tests.conftest import ALL_DATABASES
from tests.ingest.factories import WRAPPINGS, document, mob
from tests.portal.api.sending import PATH, XML, assert_later, assert_says_what_next, code, send, send_files, spooled

pytestmark = [ALL_DATABASES, pytest.mark.usefixtures("woken")]


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


def test_a_disk_that_fills_up_while_a_form_is_parsed_is_answered_with_503(client, full_disk):
    assert_later(*send_files(client, ("a.xml", XML)), 503, "spool-full")
