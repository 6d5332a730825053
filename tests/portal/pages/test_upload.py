"""The upload page: forms of browsers without scripts."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from ingest.models import LocaleControl, Upload
from portal.models import Refusal
from tests.conftest import ALL_DATABASES
from tests.ingest.factories import document, mob
from tests.portal.api.sending import XML

pytestmark = [ALL_DATABASES, pytest.mark.usefixtures("woken", "plain_static_files")]


def send(client: Client, *files: tuple[str, bytes], text: str = "", language: str = "en") -> tuple[HttpResponse, str]:
    """Send the page's form; return the response and its text."""
    data = {"file": [SimpleUploadedFile(name, body) for name, body in files], "text": text}
    answer = client.post("/upload", data, headers={"accept-language": language})
    return answer, answer.content.decode()


def test_one_accepted_upload_leads_to_its_receipt(client):
    answer, _page = send(client, ("export.xml", XML))
    upload = Upload.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/uploads/{upload.id}")
    assert upload.file_name == ""


def test_files_and_pasted_text_are_accepted_or_refused_each(client):
    answer, page = send(
        client, ("<good>.xml", XML), ("bad.xml", b"Hello"), text=document(mob(), language="enUS").decode()
    )
    assert answer.status_code == 400
    assert page.count('<li class="sending">') == 2
    assert page.count('<li class="sending bad">') == 1
    assert "&lt;good&gt;.xml" in page
    assert "Pasted text" in page
    assert "problem-not-xml-nor-base64" in page
    assert Upload.objects.count() == 2
    assert Refusal.objects.get().file_name == ""


@pytest.mark.parametrize(
    ("language", "detail"),
    [("en", "There was nothing to send."), ("de", "Es gab nichts zu senden.")],
)
def test_an_empty_form_is_refused_in_the_language_of_the_page(client, language, detail):
    answer, page = send(client, language=language)
    assert answer.status_code == 400
    assert detail in page


def test_too_many_or_too_large_files_are_refused(client, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FILES = settings.MAX_FILES_PER_REQUEST = 1
    answer, page = send(client, ("1.xml", XML), ("2.xml", XML))
    assert answer.status_code == 413
    assert "At most 1 files are accepted at once." in page
    settings.MAX_REQUEST_BYTES = 100
    answer, page = send(client, ("1.xml", XML))
    assert answer.status_code == 413
    assert "bytes, of at most 100." in page


def test_a_paused_intake_is_answered_with_503_and_a_page(client):
    for locale in ("deDE", "enUS"):
        LocaleControl.objects.create(locale=locale, intake_paused=True, note="Moving house.")
    answer, page = send(client, ("1.xml", XML))
    assert answer.status_code == 503
    assert "Moving house." in page


@pytest.mark.usefixtures("full_disk")
def test_a_disk_that_fills_up_while_the_form_is_parsed_is_answered_with_503_and_a_page(client):
    answer, page = send(client, ("a.xml", XML), language="de")
    assert (answer.status_code, answer["Content-Type"]) == (503, "text/html; charset=utf-8")
    assert "problem-spool-full" in page
    assert "Die Dateien ließen sich nicht speichern (No space left on device)." in page
    assert (Upload.objects.count(), Refusal.objects.count()) == (0, 0)
