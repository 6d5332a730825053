"""Filters of the list of uploads in the admin."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.portal import rows
from tests.portal.admin.upload_pages import LIST, listed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_static_files")]


def test_uploads_are_filtered_by_locale_status_version_day_and_sender(admin_client):
    old = rows.upload(locale="enUS", received_at=timezone.now() - timedelta(days=40))
    merged = rows.upload(status="merged", version=42)
    failing = rows.upload(attempts=2, reason="the database was unavailable", sender="network:" + "a" * 32)
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


def test_nonsense_in_the_address_is_no_error(admin_client):
    rows.upload()
    for name in ("q", "locale", "status", "version", "day", "sender"):
        for value in ("%00", "%F0%9F%98%80", "1e9", "'"):
            assert admin_client.get(f"{LIST}?{name}={value}").status_code in {200, 302}, (name, value)
