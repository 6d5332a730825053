"""The switches of a locale in the admin."""

from __future__ import annotations

import pytest

from ingest.models import LocaleControl

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_static_files")]


def test_a_locale_is_paused_by_its_row(admin_client):
    response = admin_client.post(
        "/admin/ingest/localecontrol/add/", {"locale": "deDE", "intake_paused": "on", "note": "Back at noon"}
    )
    assert response.status_code == 302
    control = LocaleControl.objects.get()
    assert (control.locale, control.intake_paused, control.work_paused) == ("deDE", True, False)
    unknown = admin_client.post("/admin/ingest/localecontrol/add/", {"locale": "frFR"})
    assert unknown.status_code == 200
    assert admin_client.post("/admin/ingest/localecontrol/deDE/change/", {"note": ""}).status_code == 302
    assert LocaleControl.objects.get().intake_paused is False
