"""Refusals in the admin: shown as text, never edited."""

from __future__ import annotations

import pytest
from django.utils import timezone

from portal.models import Refusal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_static_files")]


def test_refusals_are_shown_harmlessly_and_never_edited(admin_client):
    refusal = Refusal.objects.create(
        refused_at=timezone.now(),
        sender="network:x",
        file_name="<img src=x>.xml",
        status_code=422,
        code="not-valid",
        detail="<script>1</script>",
        errors=[{"where": "line 3", "code": "x", "message": "<script>2</script>"}],
    )
    url = f"/admin/portal/refusal/{refusal.pk}/change/"
    for page in (admin_client.get("/admin/portal/refusal/"), admin_client.get(url)):
        assert page.status_code == 200
        assert "<img src=x>" not in page.content.decode()
        assert "<script>1" not in page.content.decode()
    assert "&lt;script&gt;2&lt;/script&gt;" in admin_client.get(url).content.decode()
    assert admin_client.post(url, {"detail": "x"}).status_code == 403
