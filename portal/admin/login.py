"""Login of the admin, throttled against guessing of passwords."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from portal.accounts import client_address, network_sender

#: Failures per network, in each web process. They are not counted per user name, or anybody could lock an admin out.
FAILURES_ALLOWED = 10
WINDOW_S = 15 * 60


class LimitedLoginForm(AdminAuthenticationForm):
    """Login form that refuses networks with too many failures for a quarter of an hour."""

    def clean(self) -> dict[str, Any]:
        key = "login-failures:unknown" if self.request is None else self._key(client_address(self.request))
        if cache.get(key, 0) >= FAILURES_ALLOWED:
            raise ValidationError(
                _("Too many failed logins from your network. Try again in a quarter of an hour."), code="throttled"
            )
        try:
            return super().clean() or {}
        except ValidationError:
            cache.add(key, 0, WINDOW_S)
            cache.incr(key)
            raise

    @staticmethod
    def _key(address: str) -> str:
        return f"login-failures:{network_sender(address)}"
