"""Players who send, their tokens, and what was refused at the door."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils.translation import gettext_lazy as _


class Player(models.Model):
    """Someone who sends under a name of his own; all his uploads count as one uploader."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=100, unique=True)
    active = models.BooleanField(default=True, help_text=_("Switch off to refuse all of this player's tokens."))
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name

    @property
    def sender(self) -> str:
        """The key under which `Upload.sender` knows this player."""
        return f"player:{self.id}"


class Token(models.Model):
    """A bearer token. Only its SHA-256 is stored: tokens carry 256 random bits, so no slow hash is needed."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="tokens")
    digest = models.BinaryField(max_length=32, unique=True, editable=False)
    #: The first characters, to tell tokens apart in the admin.
    hint = models.CharField(max_length=12, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.hint}… ({self.player})"


class Refusal(models.Model):
    """A document that was not taken, with the reasons its sender was told."""

    refused_at = models.DateTimeField(db_index=True)
    sender = models.CharField(max_length=80)
    file_name = models.CharField(max_length=200, blank=True)
    status_code = models.PositiveSmallIntegerField()
    code = models.CharField(max_length=40, help_text=_("The stable code of the cause (portal/problems.py)."))
    detail = models.TextField()
    errors = models.JSONField(default=list)

    class Meta:
        indexes = [models.Index(fields=["sender", "refused_at"], name="refusal_sender")]

    def __str__(self) -> str:
        return f"{self.status_code} {self.code}"
