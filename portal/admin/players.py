"""Players and their tokens. A token's text is shown once, when it is created, and stored nowhere."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from portal import accounts
from portal.admin.readonly import ReadOnlyAdmin
from portal.models import Player, Token


class PlayerForm(ModelForm):  # type: ignore[type-arg]
    """Form that checks names like the command that creates tokens."""

    class Meta:
        model = Player
        fields = ("name", "active")

    def clean_name(self) -> str:
        try:
            return accounts.player_name(self.cleaned_data["name"])
        except accounts.UnusableName as error:
            raise ValidationError(str(error)) from None


class TokenInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Token
    fields = readonly_fields = ("hint", "created_at", "revoked_at")
    extra = 0
    can_delete = False
    ordering = ("-created_at",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Player)
class PlayerAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    form = PlayerForm
    change_form_template = "admin/player_form.html"
    list_display = ("name", "active", "valid_tokens", "created_at", "uploads")
    list_filter = ("active",)
    search_fields = ("name",)
    ordering = ("name",)
    list_per_page = 50
    fields = ("name", "active", "id", "created_at", "uploads")
    readonly_fields = ("id", "created_at", "uploads")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Player]:
        valid = Count("tokens", filter=Q(tokens__revoked_at__isnull=True))
        players: QuerySet[Player] = super().get_queryset(request).annotate(valid_tokens=valid)
        return players

    def get_fields(self, request: HttpRequest, obj: Player | None = None) -> tuple[str, ...]:
        return self.fields if obj else ("name", "active")

    def get_inlines(self, request: HttpRequest, obj: Player | None) -> tuple[type[TokenInline], ...]:
        return (TokenInline,) if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Player | None = None) -> bool:
        """Return False: players are deactivated instead, and their uploads still count as theirs."""
        return False

    @admin.display(description=gettext_lazy("valid tokens"), ordering="valid_tokens")
    def valid_tokens(self, player: Any) -> int:
        return int(player.valid_tokens)

    @admin.display(description=gettext_lazy("uploads"))
    def uploads(self, player: Player) -> SafeString:
        url = reverse("admin:ingest_upload_changelist", query={"sender": player.sender})
        return format_html('<a href="{}">{}</a>', url, _("show uploads"))

    def get_urls(self) -> list[URLPattern]:
        create = path(
            "<uuid:player_id>/token/", self.admin_site.admin_view(self.create_token), name="portal_player_token"
        )
        return [create, *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        may_create = request.user.has_perm("portal.add_token")
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), "may_create": may_create})

    def create_token(self, request: HttpRequest, player_id: Any) -> HttpResponse:
        """Create a token (POST) and show it once: no cache and no session keeps the page."""
        player = get_object_or_404(Player, pk=player_id)
        if not request.user.has_perm("portal.add_token") or not self.has_view_permission(request, player):
            raise PermissionDenied
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": _("Token for %(name)s") % {"name": player.name},
            "opts": self.opts,
            "player": player,
        }
        if request.method == "POST":
            context["token"] = accounts.issue_to(player)
            self.log_change(request, player, _("Created a token."))
        response = TemplateResponse(request, "admin/player_token.html", context)
        response["Cache-Control"] = "no-store"
        return response


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    list_display = ("hint", "player", "created_at", "revoked_at")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    list_select_related = ("player",)
    search_fields = ("player__name", "hint__startswith")
    ordering = ("-created_at",)
    list_per_page = 50
    fields = ("player", "hint", "created_at", "revoked_at")
    actions = ("revoke",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("portal.change_token")

    @admin.action(description=gettext_lazy("Revoke selected tokens for good"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[Token]) -> None:
        tokens = list(chosen)
        count = accounts.revoke([token.pk for token in tokens])
        for token in tokens:
            self.log_change(request, token, _("Revoked."))
        message = ngettext("%(count)d token was revoked.", "%(count)d tokens were revoked.", count)
        messages.success(request, message % {"count": count})
