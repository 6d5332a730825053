"""URLs of the read API. Any other path below /api/v1/ is answered with a problem in JSON, not with a page."""

from __future__ import annotations

from django.urls import path, register_converter

from maps.api import openapi, views


class DatabaseId:
    """A number that the database can store. URLs with larger ones do not exist."""

    regex = "[0-9]{1,19}"
    highest: int

    def to_python(self, value: str) -> int:
        number = int(value)
        if number > self.highest:
            raise ValueError(value)
        return number

    def to_url(self, value: int) -> str:
        return str(value)


class SmallId(DatabaseId):
    """An id of a zone, source or item."""

    highest = 2**31 - 1


class MobId(DatabaseId):
    """An id of a creature, including the server's own from 2³¹ up."""

    highest = 2**63 - 1


register_converter(SmallId, "small_id")
register_converter(MobId, "mob_id")

_LOCALE = "api/v1/<locale>"

urlpatterns = [
    path("api/v1/openapi.json", openapi.openapi, name="openapi"),
    path(f"{_LOCALE}/zones", views.zones, name="zones"),
    path(f"{_LOCALE}/zones/<small_id:zone>", views.zone, name="zone"),
    path(f"{_LOCALE}/zones/<small_id:zone>/mobs", views.zone_mobs, name="zone-mobs"),
    path(f"{_LOCALE}/zones/<small_id:zone>/map", views.zone_map, name="zone-map"),
    path(f"{_LOCALE}/zones/<small_id:zone>/sources", views.zone_sources, name="zone-sources"),
    path(f"{_LOCALE}/mobs/<mob_id:mob>", views.mob, name="mob"),
    path(f"{_LOCALE}/mobs/<mob_id:mob>/places", views.mob_habitats, name="mob-habitats"),
    path(f"{_LOCALE}/mobs/<mob_id:mob>/positions", views.mob_positions, name="mob-positions"),
    path(f"{_LOCALE}/mobs/<mob_id:mob>/spawns", views.mob_spawns, name="mob-spawns"),
    path(f"{_LOCALE}/sources", views.sources, name="sources"),
    path(f"{_LOCALE}/sources/<small_id:source>", views.source, name="source"),
    path(f"{_LOCALE}/sources/<small_id:source>/places", views.source_habitats, name="source-habitats"),
    path(f"{_LOCALE}/sources/<small_id:source>/positions", views.source_positions, name="source-positions"),
    path(f"{_LOCALE}/items/<small_id:item>", views.item, name="item"),
    path(f"{_LOCALE}/search", views.search, name="search"),
    path("api/v1/<path:rest>", views.unknown, name="api-unknown"),
]
