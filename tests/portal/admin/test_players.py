"""Players and tokens in the admin."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Permission, User

from portal import accounts
from portal.models import Player, Token

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_static_files")]


def test_a_player_is_added_by_name_alone(admin_client):
    response = admin_client.post("/admin/portal/player/add/", {"name": " Anna ", "active": "on"})
    assert response.status_code == 302
    assert Player.objects.get().name == "Anna"
    response = admin_client.post("/admin/portal/player/add/", {"name": "An\u202ena", "active": "on"})
    assert "printable characters" in response.content.decode()
    assert Player.objects.count() == 1


def test_a_player_is_deactivated_but_never_deleted(admin_client):
    token = accounts.issue("Anna")
    player = Player.objects.get()
    url = f"/admin/portal/player/{player.pk}/"
    assert admin_client.post(url + "delete/", {"post": "yes"}).status_code == 403
    formset = {"tokens-TOTAL_FORMS": "0", "tokens-INITIAL_FORMS": "0"}
    assert admin_client.post(url + "change/", {"name": "Anna", **formset}).status_code == 302
    assert accounts.authenticate(token) is None


def test_a_new_token_is_shown_once(admin_client):
    player = Player.objects.create(name="<b>Anna</b>")
    url = f"/admin/portal/player/{player.pk}/token/"
    assert url in admin_client.get(f"/admin/portal/player/{player.pk}/change/").content.decode()
    asked = admin_client.get(url)
    assert not Token.objects.exists()
    assert "<b>Anna</b>" not in asked.content.decode()
    response = admin_client.post(url)
    assert "no-store" in response["Cache-Control"]
    [shown] = re.findall(r"mm_[A-Za-z0-9_-]{43}", response.content.decode())
    assert accounts.authenticate(shown) == player
    for page in (url, f"/admin/portal/player/{player.pk}/change/", "/admin/portal/token/", "/admin/"):
        assert shown not in admin_client.get(page).content.decode()


def test_tokens_are_revoked_but_never_edited(admin_client):
    texts = [accounts.issue("Anna"), accounts.issue("Anna")]
    token = Token.objects.get(digest=accounts.digest(texts[0]))
    page = admin_client.get("/admin/portal/token/").content.decode()
    assert token.hint in page
    admin_client.post("/admin/portal/token/", {"action": "revoke", "_selected_action": [token.pk]})
    assert accounts.authenticate(texts[0]) is None
    assert accounts.authenticate(texts[1]) is not None
    assert admin_client.get("/admin/portal/token/add/").status_code == 403
    assert admin_client.post(f"/admin/portal/token/{token.pk}/change/", {}).status_code == 403


def test_creating_tokens_needs_its_permission(client):
    player = Player.objects.create(name="Anna")
    user = User.objects.create_user("staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_player", "change_player", "view_token"]))
    client.force_login(user)
    assert "token/" not in client.get(f"/admin/portal/player/{player.pk}/change/").content.decode().split("<form")[0]
    assert client.post(f"/admin/portal/player/{player.pk}/token/").status_code == 403
    assert not Token.objects.exists()
