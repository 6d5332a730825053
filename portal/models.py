"""Players, their tokens, and refused uploads."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class Player(models.Model):
    """A sender with a name; all uploads of a player count as one uploader."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=100, unique=True)
    active = models.BooleanField(
        _("active"), default=True, help_text=_("If not, all tokens of this player are refused.")
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")

    def __str__(self) -> str:
        return self.name

    @property
    def sender(self) -> str:
        """The key of this player in `Upload.sender`."""
        return f"player:{self.id}"


class Token(models.Model):
    """A bearer token. Only its SHA-256 is stored: tokens carry 256 random bits, so no slow hash is needed."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="tokens", verbose_name=_("player"))
    digest = models.BinaryField(max_length=32, unique=True, editable=False)
    #: The first characters, to distinguish tokens in the admin.
    hint = models.CharField(_("begins with"), max_length=12, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")

    def __str__(self) -> str:
        return f"{self.hint}… ({self.player})"


class Refusal(models.Model):
    """An upload that was refused, with the reasons that were sent to its sender."""

    refused_at = models.DateTimeField(_("refused at"), db_index=True)
    sender = models.CharField(_("sender"), max_length=80)
    file_name = models.CharField(_("file name"), max_length=200, blank=True)
    status_code = models.PositiveSmallIntegerField(_("status"))
    code = models.CharField(_("cause"), max_length=40, help_text=_("The stable code of the cause, as in the API."))
    detail = models.TextField(_("detail sent to the sender"))
    errors = models.JSONField(_("errors"), default=list)

    class Meta:
        verbose_name = _("refusal")
        verbose_name_plural = _("refusals")
        indexes = [models.Index(fields=["sender", "refused_at"], name="refusal_sender")]

    def __str__(self) -> str:
        return f"{self.status_code} {self.code}"
