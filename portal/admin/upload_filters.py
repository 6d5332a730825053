"""Filters of the admin's list of uploads, each served by an index."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core import locales
from ingest.models import Upload
from portal.models import Player

DAYS_OFFERED = 7


def sender_name(sender: str) -> str:
    """Return the name of a sender: the player's name, or the start of the network's hash."""
    kind, _separator, key = sender.partition(":")
    if kind != "player":
        return _("network %(hash)s…") % {"hash": key[:8]}
    found = Player.objects.filter(pk=key).values_list("name", flat=True).first()
    return _("player %(name)s") % {"name": found or key}


class LocaleFilter(admin.SimpleListFilter):
    title, parameter_name = gettext_lazy("locale"), "locale"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(locale, locale) for locale in locales.hosted()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Upload]) -> QuerySet[Upload]:
        return queryset.filter(locale=self.value()) if self.value() in locales.hosted() else queryset


class StateFilter(admin.SimpleListFilter):
    title, parameter_name = gettext_lazy("status"), "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[Any, Any]]:
        return [
            *Upload.Status.choices,
            ("failing", gettext_lazy("queued, failing")),
            ("set-aside", gettext_lazy("rejected by merging")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Upload]) -> QuerySet[Upload]:
        if self.value() == "failing":
            return queryset.filter(status="queued", attempts__gt=0).exclude(reason="")
        if self.value() == "set-aside":
            return queryset.filter(status="rejected", quarantine_step__gt=0)
        return queryset.filter(status=self.value()) if self.value() in Upload.Status.values else queryset


class VersionFilter(admin.SimpleListFilter):
    title, parameter_name = gettext_lazy("version"), "version"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(version), str(version)) for version in (42, 43, 44)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Upload]) -> QuerySet[Upload]:
        version = self.value()
        return queryset.filter(version=int(version)) if version in dict(self.lookup_choices) else queryset


class DayFilter(admin.SimpleListFilter):
    """Filter by the day of receipt, as a range, which the index of receipt times serves."""

    title, parameter_name = gettext_lazy("day received"), "day"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        today = timezone.localdate()
        days = [today - timedelta(days=n) for n in range(DAYS_OFFERED)]
        asked = self.value()
        shown = [(day.isoformat(), str(formats.date_format(day))) for day in days]
        return shown if not asked or asked in dict(shown) else [*shown, (asked, asked)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Upload]) -> QuerySet[Upload]:
        if not self.value():
            return queryset
        try:
            start = timezone.make_aware(datetime.combine(datetime.fromisoformat(str(self.value())), time.min))
            return queryset.filter(received_at__gte=start, received_at__lt=start + timedelta(days=1))
        except (ValueError, OverflowError):
            return queryset.none()


class SenderFilter(admin.SimpleListFilter):
    """Filter that is shown only while it is used: there are too many senders to list."""

    title, parameter_name = gettext_lazy("sender"), "sender"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        asked = request.GET.get("sender")
        return [(asked, sender_name(asked))] if asked and "\0" not in asked else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Upload]) -> QuerySet[Upload]:
        return queryset.filter(sender=self.value()) if self.value() else queryset
