"""Switches that pause a locale, for its row in the admin and for the queue page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core import locales
from ingest.models import LocaleControl
from ingest.wake import wake

#: What can be paused, and its field.
SWITCHES = {"intake": "intake_paused", "work": "work_paused"}


def describe(locale: str, what: str, paused: bool) -> str:
    """Return the message for a change of a switch: `The intake of deDE is paused.`"""
    texts = {
        ("intake", True): _("The intake of %(locale)s is paused: uploads are answered with 503."),
        ("intake", False): _("The intake of %(locale)s is resumed."),
        ("work", True): _("The work on %(locale)s is paused: uploads are accepted and wait."),
        ("work", False): _("The work on %(locale)s is resumed."),
    }
    return texts[what, paused] % {"locale": locale}


def switch(user: User, locale: str, what: str, paused: bool, note: str) -> str:
    """Pause or resume intake or work of a locale, wake its workers when work is resumed, and return `describe`.

    The other switch is not written: two admins may press different ones at the same moment. An empty `note` leaves the
    earlier one, until nothing is paused any more.
    """
    longest = LocaleControl._meta.get_field("note").max_length
    with transaction.atomic():
        LocaleControl.objects.get_or_create(locale=locale)
        control = LocaleControl.objects.select_for_update().get(locale=locale)
        setattr(control, SWITCHES[what], paused)
        if not (control.intake_paused or control.work_paused):
            control.note = ""
        elif note.strip():
            control.note = note.strip()[:longest]
        control.save()
        message = describe(locale, what, paused)
        LogEntry.objects.log_actions(user.pk, [control], CHANGE, message, single_object=True)
    if what == "work" and not paused:
        wake(locale)
    return message


class LocaleControlForm(forms.ModelForm):  # type: ignore[type-arg]
    """Form with a choice of the hosted locales."""

    class Meta:
        model = LocaleControl
        fields = ("locale", "intake_paused", "work_paused", "note")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "locale" in self.fields:
            self.fields["locale"] = forms.ChoiceField(
                choices=[(locale, locale) for locale in locales.hosted()], label=gettext_lazy("Locale")
            )


@admin.register(LocaleControl)
class LocaleControlAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    form = LocaleControlForm
    list_display = ("locale", "intake_paused", "work_paused", "note")

    def get_readonly_fields(self, request: HttpRequest, obj: LocaleControl | None = None) -> tuple[str, ...]:
        return ("locale",) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: LocaleControl | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: LocaleControl, form: Any, change: bool) -> None:
        """Save, and wake the locale's workers if work is not paused."""
        super().save_model(request, obj, form, change)
        if not obj.work_paused:
            transaction.on_commit(lambda: wake(obj.locale))
