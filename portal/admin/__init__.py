"""Django's admin for the operators of the site: uploads, players, refusals, pauses."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from portal.admin import controls, players, refusals, uploads
from portal.admin.login import LimitedLoginForm

__all__ = ["controls", "players", "refusals", "uploads"]

admin.site.site_header = _("MobMap operating")
admin.site.site_title = _("MobMap")
admin.site.index_title = _("Operating")
admin.site.index_template = "admin/operating_index.html"
admin.site.login_form = LimitedLoginForm
