from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PortalConfig(AppConfig):
    name = "portal"
    verbose_name = _("Players and refusals")

    def ready(self) -> None:
        """Register the system checks."""
        from portal import checks  # noqa: F401  (registers by being imported)
