"""The raw document of an upload in the admin: pages of text, or a download."""

from __future__ import annotations

import pytest
from django.urls import reverse

from ingest.intake import spool
from portal.admin import documents
from tests.portal import rows
from tests.portal.admin.upload_pages import LIST, XML, document_url, stored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_static_files")]


def test_the_raw_document_is_shown_as_text_from_either_storage(admin_client):
    for upload in (stored(XML), stored(XML, spool.archive(), archived=True), stored(XML, spool.archive())):
        response = admin_client.get(document_url(upload))
        page = response.content.decode()
        assert response.status_code == 200
        assert "&lt;MobMapData language=&quot;deDE&quot;" in page
        assert "<MobMapData" not in page


def test_a_large_document_is_shown_in_pages_cut_between_characters(admin_client):
    text = "x" + "ä" * 150_000 + "€" * 50_000
    upload = stored(text)
    pages = documents.page_count(upload)
    assert pages == 3
    assert "".join(documents.page(upload, number) for number in range(1, pages + 1)) == text
    for number in range(1, pages + 1):
        response = admin_client.get(document_url(upload) + f"?page={number}")
        assert response.context["text"] == documents.page(upload, number)
        assert len(response.context["text"].encode()) <= documents.PAGE_BYTES + 3
    for asked in ("0", "4", "-1", "x", "1e9", "9" * 50):
        assert admin_client.get(document_url(upload) + f"?page={asked}").status_code == 404


def test_marks_that_reorder_text_are_shown_as_escapes(admin_client):
    upload = stored("<a>\u202eexe.lmx\n\u200b😀 ä</a>", file_name="\u202elmx.exe")
    page = admin_client.get(document_url(upload)).content.decode()
    assert "&lt;a&gt;\\u202eexe.lmx\n\\u200b😀 ä&lt;/a&gt;" in page
    for url in (LIST, reverse("admin:ingest_upload_change", args=[upload.pk])):
        page = admin_client.get(url).content.decode()
        assert "\\u202elmx.exe" in page
        assert "\u202e" not in page


def test_the_raw_document_is_downloaded_as_plain_text(admin_client):
    upload = stored(XML)
    response = admin_client.get(document_url(upload) + "?download=1")
    assert b"".join(response.streaming_content).decode() == XML
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="mobmap-{upload.pk}.txt"'
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_missing_document_is_reported_as_missing(admin_client):
    for upload in (rows.upload(document_name=""), rows.upload(document_name="ab/gone.xml.zst")):
        for query in ("", "?download=1"):
            response = admin_client.get(document_url(upload) + query)
            assert response.status_code == 404
            assert "no longer stored" in response.content.decode()
