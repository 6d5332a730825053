"""Uploads in the admin: search, retry, withdraw and restore; never edited."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.urls import reverse
from django.utils import timezone

from ingest import lifecycle
from ingest.models import Upload
from portal.models import Player
from tests.portal import rows
from tests.portal.admin.upload_pages import LIST, XML, document_url, listed, stored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_static_files")]


def staff(*permissions: str) -> User:
    user = User.objects.create_user(f"staff-{uuid.uuid4()}", password=None, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return user


def retry(client, *uploads: Upload):
    return act(client, "retry", *uploads)


def act(client, action: str, *uploads: Upload):
    data = {"action": action, "_selected_action": [str(upload.pk) for upload in uploads]}
    return client.post(LIST, data, follow=True)


def test_uploads_are_found_by_id_or_its_start_sender_and_player(admin_client):
    player = Player.objects.create(name="Anna")
    rows.upload()
    wanted = rows.upload(sender=player.sender, id=uuid.UUID("0badcafe" + "1" * 24))
    for term in (str(wanted.pk), wanted.pk.hex.upper(), "0badc", player.sender, "anna"):
        assert listed(admin_client, f"?q={term}") == {str(wanted.pk)}, term
    assert listed(admin_client, "?q=nobody") == set()


def test_an_upload_shows_its_counts_its_sender_and_links(admin_client):
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


def test_rejected_and_failing_uploads_are_queued_again_from_the_first_try(admin_client):
    rejected = rows.upload(status="rejected", rejected_at=timezone.now(), reason="unreadable", attempts=1)
    failing = rows.upload(
        attempts=5,
        reason="unavailable",
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
    assert "3 uploads are withdrawn; their data leaves the map within seconds." in page
    assert "2 uploads were left as they are: their status does not allow this" in page
    assert Upload.objects.filter(status="withdrawn", withdrawn_at=None).count() == 4
    assert LogEntry.objects.count() == 3
    page = act(admin_client, "restore", *uploads, *left).content.decode()
    assert "3 uploads are restored; they are merged again soon." in page
    assert Upload.objects.filter(status="queued").count() == 3
    assert "1 upload is withdrawn" in act(admin_client, "withdraw", uploads[0]).content.decode()


def test_withdrawing_and_restoring_are_reported_in_german_too(admin_client):
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


def test_anonymous_visitors_are_sent_to_the_login(client):
    for url in (LIST, document_url(stored(XML)), "/admin/queues/"):
        response = client.get(url)
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")
