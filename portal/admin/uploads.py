"""Uploads in the admin: search, raw document, retry, withdraw and restore; never edited."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.template.defaultfilters import filesizeformat
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from ingest import lifecycle
from ingest.models import Upload
from ingest.wake import wake
from portal.admin import documents
from portal.admin.readonly import ReadOnlyAdmin
from portal.admin.upload_filters import DayFilter, LocaleFilter, SenderFilter, StateFilter, VersionFilter, sender_name
from portal.models import Player

ID_START = re.compile(r"[0-9a-f]{4,32}")


@admin.register(Upload)
class UploadAdmin(ReadOnlyAdmin):
    list_display = (
        "short_id",
        "received_at",
        "locale",
        "status",
        "counts",
        "from_sender",
        "version",
        "size",
        "file",
        "attempts",
        "short_reason",
    )
    list_filter = (LocaleFilter, StateFilter, VersionFilter, DayFilter, SenderFilter)
    ordering = ("-received_at",)
    search_fields = ("id",)
    search_help_text = gettext_lazy("An upload's id or its first characters, a sender's key, or a player's name.")
    list_per_page = 50
    list_max_show_all = 200
    show_full_result_count = False
    actions = ("retry", "withdraw", "restore")
    fieldsets = (
        (None, {"fields": ("id", "links", "locale", "status", "reason")}),
        (
            gettext_lazy("Document"),
            {
                "fields": (
                    "version",
                    "game_version",
                    "file",
                    "size",
                    "from_sender",
                    "content",
                    "document_name",
                    "archived",
                )
            },
        ),
        (gettext_lazy("Counts"), {"fields": ("mobs", "positions", "lootings", "ignored", "contribution")}),
        (
            gettext_lazy("Steps"),
            {"fields": ("received_at", "staged_at", "merged_at", "rejected_at", "withdrawn_at", "expired_at")},
        ),
        (gettext_lazy("Work"), {"fields": ("claimed_by", "lease_until", "attempts", "quarantine_step", "retry_at")}),
    )

    # --- what is shown ---
    @admin.display(description=gettext_lazy("id"), ordering="id")
    def short_id(self, upload: Upload) -> str:
        return str(upload.pk)[:8]

    @admin.display(description=gettext_lazy("sender"), ordering="sender")
    def from_sender(self, upload: Upload) -> SafeString:
        url = reverse("admin:ingest_upload_changelist", query={"sender": upload.sender})
        return format_html('<a href="{}"><bdi>{}</bdi></a>', url, sender_name(upload.sender))

    @admin.display(description=gettext_lazy("size"), ordering="size_bytes")
    def size(self, upload: Upload) -> str:
        return filesizeformat(upload.size_bytes)

    @admin.display(description=gettext_lazy("counts"))
    def counts(self, upload: Upload) -> str:
        """Show mobs, positions and lootings in one column, as there are many columns."""
        return f"{upload.mobs} / {upload.positions} / {upload.lootings}"

    @admin.display(description=gettext_lazy("file name"))
    def file(self, upload: Upload) -> SafeString:
        return format_html("<bdi>{}</bdi>", documents.visible(upload.file_name))

    @admin.display(description=gettext_lazy("reason"))
    def short_reason(self, upload: Upload) -> str:
        return upload.reason[:80] or _expiry(upload)

    @admin.display(description=gettext_lazy("content hash"))
    def content(self, upload: Upload) -> str:
        return bytes(upload.content_hash).hex()

    @admin.display(description=gettext_lazy("links"))
    def links(self, upload: Upload) -> SafeString:
        if upload.expired_at:
            receipt = reverse("receipt-page", args=[upload.pk])
            return format_html('<a href="{}">{}</a> · {}', receipt, _("receipt"), _expiry(upload))
        return format_html(
            '<a href="{}">{}</a> · <a href="{}">{}</a> · <a href="{}">{}</a>',
            reverse("receipt-page", args=[upload.pk]),
            _("receipt"),
            reverse("admin:ingest_upload_document", args=[upload.pk]),
            _("raw document"),
            reverse("admin:ingest_upload_document", args=[upload.pk], query={"download": "1"}),
            _("download it"),
        )

    # --- finding ---
    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Upload], search_term: str
    ) -> tuple[QuerySet[Upload], bool]:
        """Search by id, sender or player, which indexes serve; other terms find nothing, and read no rows."""
        term = search_term.strip()
        start = term.lower().replace("-", "")
        if not term:
            return queryset, False
        if ID_START.fullmatch(start):
            bounds = (uuid.UUID(start.ljust(32, "0")), uuid.UUID(start.ljust(32, "f")))
            return queryset.filter(id__range=bounds), False
        players = [player.sender for player in Player.objects.filter(name__iexact=term)]
        return queryset.filter(sender__in=[term, *players]), False

    # --- the raw document ---
    def get_urls(self) -> list[URLPattern]:
        raw = path(
            "<uuid:upload_id>/document/", self.admin_site.admin_view(self.document_view), name="ingest_upload_document"
        )
        return [raw, *super().get_urls()]

    def document_view(self, request: HttpRequest, upload_id: uuid.UUID) -> HttpResponse | StreamingHttpResponse:
        """Show the raw document as escaped text, 200 KiB a page, or send it as a plain text download."""
        upload = get_object_or_404(Upload, pk=upload_id)
        if not self.has_view_permission(request, upload):
            raise PermissionDenied
        try:
            if "download" in request.GET:
                return self._download(upload)
            pages = documents.page_count(upload)
            asked = request.GET.get("page", "1")
            number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else 0
            if not 1 <= number <= pages:
                raise Http404(_("The document has pages 1 to %(pages)d.") % {"pages": pages})
            text = documents.page(upload, number)
        except documents.DocumentMissing:
            text, number, pages = None, 1, 1
        context = {
            **self.admin_site.each_context(request),
            "title": _("Raw document"),
            "opts": self.opts,
            "upload": upload,
            "text": None if text is None else documents.visible(text),
            "number": number,
            "previous": number - 1,
            "next": number + 1,
            "pages": pages,
        }
        return TemplateResponse(request, "admin/document.html", context, status=200 if text is not None else 404)

    @staticmethod
    def _download(upload: Upload) -> StreamingHttpResponse:
        with documents.opened(upload):
            pass  # raises before the response begins if the document is missing
        response = StreamingHttpResponse(documents.chunks(upload), content_type="text/plain; charset=utf-8")
        response["Content-Disposition"] = f'attachment; filename="mobmap-{upload.pk}.txt"'
        response["X-Content-Type-Options"] = "nosniff"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response

    # --- trying again ---
    def has_retry_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("ingest.change_upload")

    @admin.action(description=gettext_lazy("Try again (rejected or failing uploads)"), permissions=["retry"])
    def retry(self, request: HttpRequest, chosen: QuerySet[Upload]) -> None:
        """Queue the chosen uploads again and report for how many that was possible."""
        queued, skipped, repeated = [], 0, 0
        _warn_about_expired(request, chosen)
        for upload in chosen.filter(expired_at__isnull=True):
            try:
                if lifecycle.retry(upload):
                    queued.append(upload)
                    self.log_change(request, upload, _("Queued again."))
                else:
                    skipped += 1
            except IntegrityError:
                repeated += 1
        for locale in {upload.locale for upload in queued}:
            wake(locale)
        if queued:
            message = ngettext("%(n)d upload is queued again.", "%(n)d uploads are queued again.", len(queued))
            messages.success(request, message % {"n": len(queued)})
        if skipped:
            message = ngettext(
                "%(n)d upload was left as it is: only rejected and failing ones without a claim can be retried.",
                "%(n)d uploads were left as they are: only rejected and failing ones without a claim can be retried.",
                skipped,
            )
            messages.warning(request, message % {"n": skipped})
        if repeated:
            message = ngettext(
                "%(n)d upload was left as it is: the same content has been accepted again since.",
                "%(n)d uploads were left as they are: the same content has been accepted again since.",
                repeated,
            )
            messages.warning(request, message % {"n": repeated})

    # --- withdrawing ---
    @admin.action(
        description=gettext_lazy("Withdraw (remove their data from the map; can be restored)"), permissions=["retry"]
    )
    def withdraw(self, request: HttpRequest, chosen: QuerySet[Upload]) -> None:
        """Mark the chosen uploads as withdrawn; the sweep subtracts their counts within seconds."""
        possible = lifecycle.withdrawable(chosen)
        message = ngettext_lazy(
            "%(n)d upload is withdrawn; its data leaves the map within seconds.",
            "%(n)d uploads are withdrawn; their data leaves the map within seconds.",
            "n",
        )
        self._change(request, chosen, possible, lifecycle.withdraw, note=_("Withdrawn."), message=message)

    @admin.action(description=gettext_lazy("Restore (queue withdrawn uploads again)"), permissions=["retry"])
    def restore(self, request: HttpRequest, chosen: QuerySet[Upload]) -> None:
        """Queue the withdrawn ones of the chosen uploads again."""
        possible = lifecycle.restorable(chosen)
        message = ngettext_lazy(
            "%(n)d upload is restored; it is merged again soon.",
            "%(n)d uploads are restored; they are merged again soon.",
            "n",
        )
        self._change(request, chosen, possible, lifecycle.restore, note=_("Restored."), message=message)

    def _change(
        self,
        request: HttpRequest,
        chosen: QuerySet[Upload],
        possible: QuerySet[Upload],
        change: Callable[[list[uuid.UUID]], int],
        *,
        note: str,
        message: Any,
    ) -> None:
        uploads = list(possible)
        skipped = chosen.count() - len(uploads) - _warn_about_expired(request, chosen)
        changed = change([upload.pk for upload in uploads])
        skipped += len(uploads) - changed
        for upload in uploads:
            self.log_change(request, upload, note)
        for locale in {upload.locale for upload in uploads}:
            wake(locale)
        if changed:
            messages.success(request, message % {"n": changed})
        if skipped:
            message = ngettext(
                "%(n)d upload was left as it is: its status does not allow this, or it is just being worked on.",
                "%(n)d uploads were left as they are: their status does not allow this, or they are being worked on.",
                skipped,
            )
            messages.warning(request, message % {"n": skipped})


def _expiry(upload: Upload) -> str:
    """Return a text that an upload's document was deleted; "" while it is kept."""
    if upload.kept_days is None:
        return ""
    message = ngettext("document deleted after %(n)d day", "document deleted after %(n)d days", upload.kept_days)
    return message % {"n": upload.kept_days}


def _warn_about_expired(request: HttpRequest, chosen: QuerySet[Upload]) -> int:
    """Warn about chosen uploads that stay as they are because their documents are deleted; return their number."""
    expired = chosen.filter(expired_at__isnull=False).count()
    if expired:
        message = ngettext(
            "%(n)d upload was left as it is: its document was deleted from the archive.",
            "%(n)d uploads were left as they are: their documents were deleted from the archive.",
            expired,
        )
        messages.warning(request, message % {"n": expired})
    return expired
