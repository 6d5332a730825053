"""The switches that pause a locale, for its row in the admin and for the queue page."""

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

#: What can be paused, and the field that says so.
SWITCHES = {"intake": "intake_paused", "work": "work_paused"}


def describe(locale: str, what: str, paused: bool) -> str:
    """Return what a switch did, for people: `The intake of deDE is paused.`"""
    texts = {
        ("intake", True): _("The intake of %(locale)s is paused: uploads are answered with 503."),
        ("intake", False): _("The intake of %(locale)s is open again."),
        ("work", True): _("The work on %(locale)s is paused: uploads are accepted and wait."),
        ("work", False): _("The work on %(locale)s goes on."),
    }
    return texts[what, paused] % {"locale": locale}


def switch(user: User, locale: str, what: str, paused: bool, note: str) -> str:
    """Pause or resume one thing of a locale, wake its workers when work goes on, and return `describe`.

    The other switch stays as it is: two admins may press different ones at the same moment. The note
    stays too while something is paused and none is given, and goes with the last pause.
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
        said = describe(locale, what, paused)
        LogEntry.objects.log_actions(user.pk, [control], CHANGE, said, single_object=True)
    if what == "work" and not paused:
        wake(locale)
    return said


class LocaleControlForm(forms.ModelForm):  # type: ignore[type-arg]
    """Offers the hosted locales instead of any text."""

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
        """Save, and wake the locale's workers where they may have waited for it."""
        super().save_model(request, obj, form, change)
        if not obj.work_paused:
            transaction.on_commit(lambda: wake(obj.locale))
