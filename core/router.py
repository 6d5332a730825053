"""Database router: merged data is in a database per locale, everything else in the portal's database."""

from __future__ import annotations

from typing import Any

MAP_PREFIX = "map_"


class LocaleRouter:
    """Keep the tables of `maps` in the locales' databases and all other tables out of them.

    Queries of merged data name their database (`.using(alias)`). There is no default locale, so a query without one
    fails instead of mixing the data of two locales.
    """

    def db_for_read(self, model: Any, **hints: Any) -> str | None:
        instance = hints.get("instance")
        if model._meta.app_label == "maps" and instance is not None:
            return str(instance._state.db)
        return None

    db_for_write = db_for_read

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool:
        return (app_label == "maps") == db.startswith(MAP_PREFIX)
