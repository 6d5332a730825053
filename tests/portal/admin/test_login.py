"""The login of the admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from portal.admin import login

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_static_files")]


def test_guessing_passwords_is_throttled_per_network(client):
    User.objects.create_user("admin", password="right password", is_staff=True)
    guess = {"username": "admin", "password": "wrong password"}
    for _ in range(login.FAILURES_ALLOWED):
        assert "Too many" not in client.post("/admin/login/", guess).content.decode()
    right = {**guess, "password": "right password"}
    assert "Too many failed logins" in client.post("/admin/login/", right).content.decode()
    elsewhere = client.post("/admin/login/?next=/admin/", right, REMOTE_ADDR="203.0.113.9")
    assert elsewhere.status_code == 302
