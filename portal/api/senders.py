"""Who sends a request: a player by their token, or a network by its keyed hash."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from ingest.problems import AnonymousNotAllowed, UnknownToken
from portal import accounts


def identify(request: HttpRequest) -> str:
    """Return the sender's key; raises `UnknownToken` or `AnonymousNotAllowed`."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme:
        player = accounts.authenticate(token.strip()) if scheme.lower() == "bearer" else None
        if player is None:
            raise UnknownToken(
                "The token is unknown, revoked or not of the form `Authorization: Bearer mm_…`. "
                "Omit the header to send without a name."
            )
        return player.sender
    if not settings.ANONYMOUS_UPLOADS:
        raise AnonymousNotAllowed("This site accepts uploads with a token only: `Authorization: Bearer mm_…`.")
    return accounts.network_sender(accounts.client_address(request))
