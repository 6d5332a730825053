"""Uploads, in the portal's database. PostgreSQL remembers what is to be done, RabbitMQ only distributes it."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Upload(models.Model):
    """An accepted upload: where its document is, what it holds, and its status (`ingest.lifecycle` changes it).

    The row is committed only after the document is on disk, and the pipeline never deletes it.
    """

    class Status(models.TextChoices):
        QUEUED = "queued", _("queued")
        STAGED = "staged", _("staged")
        MERGED = "merged", _("merged")
        REJECTED = "rejected", _("rejected")
        WITHDRAWN = "withdrawn", _("withdrawn")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    locale = models.CharField(_("locale"), max_length=4)
    #: SHA-256 over the document's records, independent of their order and wrapping (`Contents.content_hash`).
    content_hash = models.BinaryField(_("content hash"), max_length=32)
    version = models.PositiveSmallIntegerField(
        _("version"), help_text=_("Version of the addon's format: 42, 43 or 44.")
    )
    game_version = models.CharField(_("version of the game"), max_length=200, blank=True)
    #: `player:<uuid>` or `network:<keyed hash>`: who counts as one uploader. Never an address.
    sender = models.CharField(_("sender"), max_length=80)
    file_name = models.CharField(_("file name"), max_length=200, blank=True)
    size_bytes = models.PositiveIntegerField(_("size in bytes"), help_text=_("Size of the XML, unwrapped."))
    #: Name in the spool, later in the archive (`archived`); empty once the document is deleted.
    document_name = models.CharField(_("document"), max_length=200)
    archived = models.BooleanField(_("archived"), default=False)

    mobs = models.PositiveIntegerField(_("creatures"))
    positions = models.PositiveIntegerField(
        _("positions"), help_text=_("Coordinates as written, also unknown and repeated ones.")
    )
    lootings = models.PositiveIntegerField(_("lootings"))
    ignored = models.JSONField(
        _("not merged"), default=dict, help_text=_("Records kept but not merged yet, by element.")
    )

    status = models.CharField(_("status"), max_length=9, choices=Status.choices, default=Status.QUEUED)
    received_at = models.DateTimeField(_("received at"), db_index=True)
    staged_at = models.DateTimeField(_("staged at"), null=True, blank=True)
    merged_at = models.DateTimeField(_("merged at"), null=True, blank=True, db_index=True)
    rejected_at = models.DateTimeField(_("rejected at"), null=True, blank=True)
    #: Set once its counts are subtracted (`ingest.maintenance.withdrawals`); null before that.
    withdrawn_at = models.DateTimeField(_("withdrawn at"), null=True, blank=True)
    #: When retention chose its document for deletion (`ingest.maintenance.retention`); `document_name` is empty once
    #: it is deleted. From then on nobody can withdraw, restore or requeue the upload; its counts stay.
    expired_at = models.DateTimeField(_("document deleted at"), null=True, blank=True)
    #: What its merge added: new_mobs, new_positions, confirmed_positions, new_drops.
    contribution = models.JSONField(_("contribution"), null=True, blank=True)
    reason = models.TextField(_("reason"), blank=True, help_text=_("Why it was rejected, or why the last try failed."))

    #: The wake-up (Celery task id) that has claimed it, and until when the claim holds.
    claimed_by = models.CharField(_("claimed by"), max_length=40, blank=True)
    lease_until = models.DateTimeField(_("claimed until"), null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(_("tries"), default=0)
    retry_at = models.DateTimeField(_("next try"), null=True, blank=True)
    #: 0, or its step in quarantine (`ingest.queue.quarantine`).
    quarantine_step = models.PositiveSmallIntegerField(
        _("quarantine step"),
        default=0,
        db_default=0,
        help_text=_("How far it has been singled out, because work on it and others failed by what they hold."),
    )

    class Meta:
        verbose_name = _("upload")
        verbose_name_plural = _("uploads")
        constraints = [
            models.UniqueConstraint(
                fields=["locale", "content_hash"], condition=~Q(status="rejected"), name="one_upload_per_content"
            ),
        ]
        indexes = [
            models.Index(fields=["locale", "received_at"], condition=Q(status="queued"), name="upload_queued"),
            models.Index(fields=["locale", "staged_at"], condition=Q(status="staged"), name="upload_staged"),
            models.Index(fields=["id"], condition=Q(archived=False), name="upload_not_archived"),
            models.Index(
                fields=["locale", "id"],
                condition=Q(status="withdrawn", withdrawn_at__isnull=True),
                name="upload_withdrawing",
            ),
            models.Index(fields=["sender", "received_at"], name="upload_sender"),
            models.Index(
                fields=["locale", "id"],
                condition=Q(expired_at__isnull=False, document_name__gt=""),
                name="upload_expiring",
            ),
            models.Index(
                fields=["locale", "quarantine_step"], condition=Q(quarantine_step__gt=0), name="upload_quarantined"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} ({self.locale}, {self.get_status_display()})"

    @property
    def kept_days(self) -> int | None:
        """Days after which its document was deleted; None while it is kept."""
        return None if self.expired_at is None else (self.expired_at - self.received_at).days


class Requeued(models.Model):
    """An upload that an operator has requeued (`ingest.queue.requeue`), until a worker has looked at it.

    A narrow table of its own: millions are added at once. Setting as many uploads to `queued` would rewrite all their
    wide rows, and put them before what players send meanwhile.
    """

    pk = models.CompositePrimaryKey("locale", "upload")
    locale = models.CharField(max_length=4)
    upload = models.UUIDField()

    def __str__(self) -> str:
        return f"{self.upload} ({self.locale})"


class LocaleControl(models.Model):
    """An admin's switches for a locale: refuse uploads, or accept them and let them wait."""

    locale = models.CharField(_("locale"), max_length=4, primary_key=True)
    intake_paused = models.BooleanField(_("intake paused"), default=False, help_text=_("Answer uploads with 503."))
    work_paused = models.BooleanField(_("work paused"), default=False, help_text=_("Accept uploads, but merge none."))
    note = models.CharField(_("note"), max_length=200, blank=True, help_text=_("Shown to players while paused."))

    class Meta:
        verbose_name = _("switch of a locale")
        verbose_name_plural = _("switches of the locales")

    def __str__(self) -> str:
        return self.locale
