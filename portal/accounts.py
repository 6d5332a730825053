"""Senders: players, known by tokens, and networks, known by keyed hashes."""

from __future__ import annotations

import hashlib
import ipaddress
import re
import secrets
from collections.abc import Iterable

from django.conf import settings
from django.db import connection, transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from portal.models import Player, Token

#: 32 random bytes are 43 characters of Base64 without padding.
TOKEN = re.compile(r"mm_[A-Za-z0-9_-]{43}", re.ASCII)
RANDOM_BYTES = 32
#: Characters of a token that the admin shows; the rest has 225 random bits.
HINT_LENGTH = 8

#: One subscriber can use every address of a /48, and addresses of a /24 often belong together.
IPV4_PREFIX = 24
IPV6_PREFIX = 48
#: Runs for every upload: the ORM takes longer to build it than the database to execute it.
_OWNER = """
    SELECT player.id, player.name, player.active, player.created_at
    FROM portal_token AS token JOIN portal_player AS player ON player.id = token.player_id
    WHERE token.digest = %s AND token.revoked_at IS NULL AND player.active
"""
SENDER_SALT = "portal.accounts.network_sender"


class UnusableName(ValueError):
    """A text that can't be a player's name; the message says why."""


def player_name(text: str) -> str:
    """Return `text` without surrounding blanks; raises `UnusableName`."""
    name = text.strip()
    longest = Player._meta.get_field("name").max_length
    if not name or (longest and len(name) > longest) or not name.isprintable():
        raise UnusableName(
            _("“%(name)s” can't be a player's name: use 1 to %(longest)d printable characters.")
            % {"name": name.encode("unicode_escape").decode()[:120], "longest": longest}
        )
    return name


def digest(token: str) -> bytes:
    """Return the SHA-256 of a token, 32 bytes: all that is stored of it."""
    return hashlib.sha256(token.encode()).digest()


def _new_token(player: Player) -> tuple[str, Token]:
    text = f"mm_{secrets.token_urlsafe(RANDOM_BYTES)}"
    return text, Token(player=player, digest=digest(text), hint=text[:HINT_LENGTH])


def issue_to(player: Player) -> str:
    """Create another token for a player and return its text, which is stored nowhere."""
    text, token = _new_token(player)
    token.save(force_insert=True)
    return text


def issue_many(names: Iterable[str]) -> dict[str, str]:
    """Create a token for each name, and the missing players: `{"Anna": "mm_…", …}`.

    All or none: raises `UnusableName` before anything is written.
    """
    wanted = list(dict.fromkeys(player_name(name) for name in names))
    with transaction.atomic():
        # Two admins may create the same player at the same moment: the unique name decides.
        Player.objects.bulk_create([Player(name=name) for name in wanted], ignore_conflicts=True, batch_size=1000)
        players = {player.name: player for player in Player.objects.filter(name__in=wanted)}
        made = {name: _new_token(players[name]) for name in wanted}
        Token.objects.bulk_create([token for _text, token in made.values()], batch_size=1000)
    return {name: text for name, (text, _token) in made.items()}


def issue(name: str) -> str:
    """Create a token for the player of this name, who is created when new: `"mm_…"`."""
    return next(iter(issue_many([name]).values()))


def authenticate(token: str) -> Player | None:
    """Return the player of a token; None if it is unknown or revoked, or the player is not active."""
    if not TOKEN.fullmatch(token):
        return None
    with connection.cursor() as cursor:
        cursor.execute(_OWNER, [digest(token)])
        found = cursor.fetchone()
    return Player.from_db(connection.alias, ["id", "name", "active", "created_at"], found) if found else None


def revoke(tokens: Iterable[int]) -> int:
    """Revoke tokens by their ids for good; return how many of them were valid."""
    return Token.objects.filter(id__in=list(tokens), revoked_at__isnull=True).update(revoked_at=timezone.now())


def revoke_all(player: Player) -> int:
    """Revoke every token of a player; return how many of them were valid."""
    return Token.objects.filter(player=player, revoked_at__isnull=True).update(revoked_at=timezone.now())


def client_address(request: HttpRequest) -> str:
    """Return the address a request came from, `""` for a socket without addresses.

    Behind a trusted proxy it is the last entry of X-Forwarded-For, which the proxy wrote itself; senders can forge all
    entries before it.
    """
    if settings.TRUST_PROXY:
        last = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()
        if last:
            return last
    return str(request.META.get("REMOTE_ADDR", ""))


def network(address: str) -> str:
    """Return the network of an address: `203.0.113.9` → `203.0.113.0/24`, IPv6 → its /48.

    Addresses that can't be parsed share one network, so that they share one limit.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            return str(ipaddress.IPv6Network((int(parsed), IPV6_PREFIX), strict=False))
        parsed = parsed.ipv4_mapped
    return str(ipaddress.IPv4Network((int(parsed), IPV4_PREFIX), strict=False))


def network_sender(address: str) -> str:
    """Return the sender key of an anonymous upload: `network:` and 32 hexadecimal digits.

    HMAC-SHA256 with a key derived from SECRET_KEY: without the key nobody can find the network of a hash by trying all
    networks.
    """
    return f"network:{salted_hmac(SENDER_SALT, network(address), algorithm='sha256').hexdigest()[:32]}"
