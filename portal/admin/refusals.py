"""Refused uploads, with the reasons that were sent to their senders."""

from __future__ import annotations

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from portal.admin.readonly import ReadOnlyAdmin
from portal.models import Refusal


@admin.register(Refusal)
class RefusalAdmin(ReadOnlyAdmin):
    list_display = ("refused_at", "status_code", "code", "file_name", "sender", "short_detail")
    list_filter = ("status_code", "code")
    ordering = ("-refused_at",)
    search_fields = ("=code", "=sender", "=file_name")
    search_help_text = _("A whole code, sender or file name.")
    list_per_page = 50
    show_full_result_count = False
    fields = ("refused_at", "status_code", "code", "sender", "file_name", "detail", "error_list")
    readonly_fields = ("error_list",)

    @admin.display(description=_("detail"))
    def short_detail(self, refusal: Refusal) -> str:
        return refusal.detail[:120]

    @admin.display(description=_("errors"))
    def error_list(self, refusal: Refusal) -> SafeString:
        """Show the errors of the document, one per line. They quote the sender's text, so all of it is escaped."""
        lines = ((error.get("where", ""), error.get("message", "")) for error in refusal.errors)
        return format_html_join("", "<div><bdi>{}</bdi>: <bdi>{}</bdi></div>", lines) or SafeString("–")
