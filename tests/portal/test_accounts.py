"""Tokens of players and the keyed hashes of networks."""

from __future__ import annotations

import hashlib
import re

import pytest
from django.test import RequestFactory

from portal import accounts
from portal.models import Player, Token

pytestmark = pytest.mark.django_db


def test_a_token_authenticates_its_player():
    token = accounts.issue("Anna")
    assert re.fullmatch(r"mm_[A-Za-z0-9_-]{43}", token)
    player = accounts.authenticate(token)
    assert player is not None
    assert player.name == "Anna"


def test_only_the_digest_and_a_hint_are_stored():
    token = accounts.issue("Anna")
    stored = Token.objects.get()
    assert bytes(stored.digest) == hashlib.sha256(token.encode()).digest()
    assert token.startswith(stored.hint)
    assert len(stored.hint) == 8


def test_a_player_may_have_several_tokens():
    first, second = accounts.issue("Anna"), accounts.issue("Anna")
    assert first != second
    assert accounts.authenticate(first) == accounts.authenticate(second) == Player.objects.get()


@pytest.mark.parametrize(
    "text", ["", "mm_", "mm_" + "A" * 43, "mm_" + "A" * 42 + "ß", "x" * 100_000, "mm_\0" + "A" * 42]
)
def test_an_unknown_or_malformed_token_authenticates_nobody(text):
    accounts.issue("Anna")
    assert accounts.authenticate(text) is None


def test_a_revoked_token_authenticates_nobody_while_the_others_stay_valid():
    first, second = accounts.issue("Anna"), accounts.issue("Anna")
    ids = [Token.objects.get(digest=accounts.digest(first)).pk]
    assert accounts.revoke(ids) == 1
    assert accounts.revoke(ids) == 0
    assert accounts.authenticate(first) is None
    assert accounts.authenticate(second) is not None
    assert accounts.revoke_all(Player.objects.get()) == 1
    assert accounts.authenticate(second) is None


def test_the_token_of_an_inactive_player_authenticates_nobody():
    token = accounts.issue("Anna")
    Player.objects.update(active=False)
    assert accounts.authenticate(token) is None


def test_names_are_accepted_all_or_none():
    with pytest.raises(accounts.UnusableName, match="printable"):
        accounts.issue_many(["Anna", "Ber\nta"])
    assert not Player.objects.exists()
    assert list(accounts.issue_many([" Anna ", "Berta", "Anna"])) == ["Anna", "Berta"]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.9", "203.0.113.0/24"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2:3::4", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/48"),
        ("", "unknown"),
        ("no address", "unknown"),
    ],
)
def test_an_address_is_reduced_to_its_network(address, network):
    assert accounts.network(address) == network


def test_the_sender_of_a_network_is_a_keyed_hash(settings):
    sender = accounts.network_sender("203.0.113.9")
    assert re.fullmatch(r"network:[0-9a-f]{32}", sender)
    assert sender == accounts.network_sender("203.0.113.200")
    assert sender != accounts.network_sender("203.0.114.9")
    settings.SECRET_KEY = "another key" * 6
    assert sender != accounts.network_sender("203.0.113.9")


def test_forwarded_addresses_count_only_behind_a_trusted_proxy(settings):
    request = RequestFactory().get("/", HTTP_X_FORWARDED_FOR="198.51.100.1, 203.0.113.9", REMOTE_ADDR="127.0.0.1")
    settings.TRUST_PROXY = False
    assert accounts.client_address(request) == "127.0.0.1"
    settings.TRUST_PROXY = True
    assert accounts.client_address(request) == "203.0.113.9"
    assert accounts.client_address(RequestFactory().get("/", REMOTE_ADDR="127.0.0.2")) == "127.0.0.2"
