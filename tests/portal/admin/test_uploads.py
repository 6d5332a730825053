"""Uploads in the admin: found, read safely, tried again, never edited."""

from __future__ import annotations

import io
import uuid
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.urls import reverse
from django.utils import timezone

from ingest import lifecycle
from ingest.intake import spool
from ingest.models import Upload
from portal.admin import documents
from portal.models import Player
from tests.portal import rows

pytestmark = pytest.mark.django_db

LIST = "/admin/ingest/upload/"
XML = '<MobMapData language="deDE" version="44"><Mob name="&lt;script&gt;alert(1)&lt;/script&gt;"/></MobMapData>'


@pytest.fixture(autouse=True)
def plain_static_files(settings):
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }


def staff(*permissions: str) -> User:
    user = User.objects.create_user(f"staff-{uuid.uuid4()}", password=None, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return user


def stored(text: str | bytes, storage=None, **values) -> Upload:
    data = text.encode() if isinstance(text, str) else text
    name = spool.document_name(str(uuid.uuid4()))
    spool.put(storage or spool.spool(), name, io.BytesIO(data))
    return rows.upload(document_name=name, size_bytes=len(data), **values)


def listed(client, query: str) -> set[str]:
    response = client.get(LIST + query)
    assert response.status_code == 200
    return {str(upload.pk) for upload in response.context["cl"].result_list}


def retry(client, *uploads: Upload):
    return act(client, "retry", *uploads)


def act(client, action: str, *uploads: Upload):
    data = {"action": action, "_selected_action": [str(upload.pk) for upload in uploads]}
    return client.post(LIST, data, follow=True)


def document_url(upload: Upload) -> str:
    return reverse("admin:ingest_upload_document", args=[upload.pk])


def test_uploads_are_filtered_by_locale_status_version_day_and_sender(admin_client):
    old = rows.upload(locale="enUS", received_at=timezone.now() - timedelta(days=40))
    merged = rows.upload(status="merged", version=42)
    failing = rows.upload(attempts=2, reason="the database was away", sender="network:" + "a" * 32)
    ids = {name: str(upload.pk) for name, upload in (("old", old), ("merged", merged), ("failing", failing))}
    assert listed(admin_client, "") == set(ids.values())
    assert listed(admin_client, "?locale=enUS") == {ids["old"]}
    assert listed(admin_client, "?status=merged") == {ids["merged"]}
    assert listed(admin_client, "?status=failing") == {ids["failing"]}
    aside = rows.upload(
        status="rejected", quarantine_step=8, version=43, received_at=timezone.now() - timedelta(days=50)
    )
    rows.upload(status="rejected", version=43, received_at=timezone.now() - timedelta(days=50))
    assert listed(admin_client, "?status=set-aside") == {str(aside.pk)}
    assert listed(admin_client, "?version=42") == {ids["merged"]}
    assert listed(admin_client, f"?sender={failing.sender}") == {ids["failing"]}
    assert listed(admin_client, f"?day={timezone.localdate().isoformat()}") == {ids["merged"], ids["failing"]}
    assert listed(admin_client, f"?day={(timezone.localdate() - timedelta(days=40)).isoformat()}") == {ids["old"]}
    assert listed(admin_client, "?day=nonsense") == set()


def test_uploads_are_found_by_id_its_start_sender_and_player(admin_client):
    player = Player.objects.create(name="Anna")
    rows.upload()
    wanted = rows.upload(sender=player.sender, id=uuid.UUID("0badcafe" + "1" * 24))
    for term in (str(wanted.pk), wanted.pk.hex.upper(), "0badc", player.sender, "anna"):
        assert listed(admin_client, f"?q={term}") == {str(wanted.pk)}, term
    assert listed(admin_client, "?q=nobody") == set()


def test_nonsense_in_the_address_is_no_error(admin_client):
    rows.upload()
    for name in ("q", "locale", "status", "version", "day", "sender"):
        for value in ("%00", "%F0%9F%98%80", "1e9", "'"):
            assert admin_client.get(f"{LIST}?{name}={value}").status_code in {200, 302}, (name, value)


def test_an_upload_shows_its_counts_its_sender_and_where_to_look(admin_client):
    upload = rows.upload(
        file_name='"><script>alert(1)</script>.xml', ignored={"Merchant": 3}, reason="<b>bold</b>", attempts=1
    )
    for url in (LIST, reverse("admin:ingest_upload_change", args=[upload.pk])):
        page = admin_client.get(url).content.decode()
        assert "&lt;script&gt;alert(1)&lt;/script&gt;.xml" in page
        assert "<script>alert(1)" not in page
        assert "<b>bold</b>" not in page
        assert "network 00000000…" in page
    assert reverse("receipt-page", args=[upload.pk]) in page
    assert document_url(upload) in page
    assert bytes(upload.content_hash).hex() in page
    assert 'name="_save"' not in page


def test_an_upload_can_be_neither_added_changed_nor_deleted(admin_client):
    upload = rows.upload()
    assert admin_client.get(LIST + "add/").status_code == 403
    assert admin_client.post(LIST + f"{upload.pk}/change/", {"status": "merged"}).status_code == 403
    assert admin_client.post(LIST + f"{upload.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Upload.objects.get().status == "queued"


def test_the_raw_document_is_text_wherever_it_lies(admin_client):
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


def test_a_document_that_is_gone_is_said_to_be_gone(admin_client):
    for upload in (rows.upload(document_name=""), rows.upload(document_name="ab/gone.xml.zst")):
        for query in ("", "?download=1"):
            response = admin_client.get(document_url(upload) + query)
            assert response.status_code == 404
            assert "no longer stored" in response.content.decode()


def test_rejected_and_failing_uploads_are_queued_again_from_the_first_try(admin_client):
    rejected = rows.upload(status="rejected", rejected_at=timezone.now(), reason="unreadable", attempts=1)
    failing = rows.upload(
        attempts=5,
        reason="away",
        retry_at=timezone.now() + timedelta(hours=1),
        claimed_by="gone",
        lease_until=timezone.now() - timedelta(minutes=1),
    )
    page = retry(admin_client, rejected, failing).content.decode()
    assert "2 uploads are queued again." in page
    for upload in Upload.objects.all():
        assert (upload.status, upload.attempts, upload.reason, upload.claimed_by) == ("queued", 0, "", "")
        assert upload.retry_at is upload.lease_until is upload.rejected_at is None
    assert LogEntry.objects.count() == 2


def test_uploads_that_need_no_retry_are_left_as_they_are(admin_client):
    held = {"attempts": 1, "claimed_by": "worker", "lease_until": timezone.now() + timedelta(minutes=1)}
    uploads = [
        rows.upload(),
        rows.upload(**held),
        rows.upload(status="merged", merged_at=timezone.now()),
        rows.upload(status="withdrawn"),
        rows.upload(status="rejected", document_name=""),
    ]
    before = list(Upload.objects.order_by("id").values())
    assert "5 uploads were left as they are" in retry(admin_client, *uploads).content.decode()
    assert list(Upload.objects.order_by("id").values()) == before


def test_a_rejected_upload_is_not_queued_beside_the_same_content(admin_client):
    accepted = rows.upload()
    rejected = rows.upload(status="rejected", content_hash=accepted.content_hash)
    assert "accepted again since" in retry(admin_client, rejected).content.decode()
    rejected.refresh_from_db()
    assert rejected.status == "rejected"


def test_uploads_are_withdrawn_and_restored(admin_client):
    uploads = [rows.upload(), rows.upload(status="staged"), rows.upload(status="merged", archived=True)]
    left = [rows.upload(status="rejected"), rows.upload(status="withdrawn", document_name="")]
    page = act(admin_client, "withdraw", *uploads, *left).content.decode()
    assert "3 uploads are withdrawn; their notes leave the map within seconds." in page
    assert "2 uploads were left as they are: their status does not allow this" in page
    assert Upload.objects.filter(status="withdrawn", withdrawn_at=None).count() == 4
    assert LogEntry.objects.count() == 3
    page = act(admin_client, "restore", *uploads, *left).content.decode()
    assert "3 uploads are restored; they are merged again soon." in page
    assert Upload.objects.filter(status="queued").count() == 3
    assert "1 upload is withdrawn" in act(admin_client, "withdraw", uploads[0]).content.decode()


def test_withdrawing_and_restoring_are_said_in_german_too(admin_client):
    admin_client.cookies["django_language"] = "de"
    upload = rows.upload()
    assert "1 Upload ist zurückgezogen" in act(admin_client, "withdraw", upload).content.decode()
    assert "1 Upload ist wiederhergestellt" in act(admin_client, "restore", upload).content.decode()


def test_an_upload_whose_document_expired_says_so_and_offers_nothing_for_it(admin_client):
    received = timezone.now() - timedelta(days=40)
    upload = rows.upload(
        status="merged",
        document_name="",
        archived=True,
        received_at=received,
        expired_at=received + timedelta(days=30.5),
    )
    for url in (LIST, reverse("admin:ingest_upload_change", args=[upload.pk])):
        assert "document deleted after 30 days" in admin_client.get(url).content.decode()
    assert document_url(upload) not in admin_client.get(url).content.decode()
    response = admin_client.get(document_url(upload))
    assert response.status_code == 404
    assert "The document was deleted after 30 days, as this site" in response.content.decode()
    for action in ("retry", "withdraw", "restore"):
        page = act(admin_client, action, upload).content.decode()
        assert "1 upload was left as it is: its document was deleted from the archive." in page
        assert "their status" not in page
    admin_client.cookies["django_language"] = "de"
    assert "Dokument nach 30 Tagen gelöscht" in admin_client.get(LIST).content.decode()
    assert "Sein Dokument wurde aus dem Archiv" in act(admin_client, "withdraw", upload).content.decode()
    assert Upload.objects.get().status == "merged"


def test_a_rejected_upload_whose_document_is_being_deleted_is_not_tried_again(admin_client):
    upload = rows.upload(status="rejected", rejected_at=timezone.now(), expired_at=timezone.now())
    assert "its document was deleted from the archive" in retry(admin_client, upload).content.decode()
    assert not lifecycle.retry(upload)


def test_permissions_are_respected(client):
    upload = stored(XML, status="rejected")
    client.force_login(staff())
    assert client.get(LIST).status_code == 403
    assert client.get(document_url(upload)).status_code == 403
    client.force_login(staff("view_upload"))
    assert client.get(document_url(upload)).status_code == 200
    retry(client, upload)
    assert Upload.objects.get().status == "rejected"
    merged = rows.upload(status="merged")
    act(client, "withdraw", merged)
    merged.refresh_from_db()
    assert merged.status == "merged"
    merged.delete()
    client.force_login(staff("view_upload", "change_upload"))
    retry(client, upload)
    assert Upload.objects.get().status == "queued"


def test_strangers_are_sent_to_the_login(client):
    for url in (LIST, document_url(stored(XML)), "/admin/queues/"):
        response = client.get(url)
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")
