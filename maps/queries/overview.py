"""What a locale holds at a glance."""

from __future__ import annotations

from django.core.cache import cache

from maps.queries import shapes
from maps.queries.database import Row, rows

#: A full locale takes half a second to count; the start page asks for all of them at once.
TOTALS_REMEMBERED_S = 5


def totals(alias: str) -> Row:
    """Return `{"uploads", "zones", "mobs", "positions", "sightings", "lootings", "items"}` of a locale.

    Each process remembers them for `TOTALS_REMEMBERED_S`.
    """
    key = f"maps:totals:{alias}"
    found: Row | None = cache.get(key)
    if found is None:
        (found,) = rows(alias, "totals")
        cache.set(key, found, TOTALS_REMEMBERED_S)
    return found


def newest_confirmed(alias: str, limit: int = 10) -> list[Row]:
    """Return the creatures first seen last among those with a confirmed spawn point.

    Each has `id`, `name`, `min`, `max`, `boss`, `react`, `first_seen` and the zone of its most sighted
    confirmed spawn point as `zone` (id) and `zone_name`.
    """
    return [shapes.with_reaction(mob) for mob in rows(alias, "newest_confirmed", rows=limit)]
