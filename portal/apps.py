from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "portal"

    def ready(self) -> None:
        """Register the system checks."""
        from portal import checks  # noqa: F401  (registers by being imported)
