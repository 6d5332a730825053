"""Senders: players by their tokens, networks by their keyed hashes."""

from __future__ import annotations

import pytest

from ingest.models import Upload
from portal import accounts
from portal.models import Player, Token
from tests.conftest import ALL_DATABASES
from tests.portal.api.sending import assert_says_what_next, code, send

pytestmark = [ALL_DATABASES, pytest.mark.usefixtures("woken")]


def test_a_token_links_an_upload_to_its_player(client):
    token = accounts.issue("Anna")
    assert send(client, Authorization=f"Bearer {token}")[0].status_code == 202
    assert Upload.objects.get().sender == Player.objects.get().sender


def test_without_a_token_the_sender_is_a_keyed_hash_of_their_network(client):
    client.defaults["REMOTE_ADDR"] = "203.0.113.9"
    send(client)
    sender = Upload.objects.get().sender
    assert sender.startswith("network:")
    assert len(sender) == 40
    assert "203.0.113" not in sender


@pytest.mark.parametrize("header", ["Bearer mm_unknown", "Bearer ", "Basic YTpi", "bearer", "mm_x"])
def test_an_unknown_token_is_refused_and_not_treated_as_no_token(client, header):
    answer, problem = send(client, Authorization=header)
    assert (answer.status_code, code(problem)) == (401, "unknown-token")
    assert_says_what_next(problem)
    assert Upload.objects.count() == 0


@pytest.mark.parametrize("how", ["revoked", "inactive"])
def test_a_revoked_token_and_one_of_an_inactive_player_are_refused(client, how):
    token = accounts.issue("Anna")
    if how == "revoked":
        accounts.revoke(Token.objects.values_list("id", flat=True))
    else:
        Player.objects.update(active=False)
    assert send(client, Authorization=f"Bearer {token}")[0].status_code == 401


def test_a_site_may_accept_uploads_with_a_token_only(client, settings):
    settings.ANONYMOUS_UPLOADS = False
    answer, problem = send(client)
    assert (answer.status_code, code(problem)) == (401, "anonymous-not-allowed")
    assert send(client, Authorization=f"Bearer {accounts.issue('Anna')}")[0].status_code == 202
