"""What a locale holds at a glance."""

from __future__ import annotations

from maps.queries import shapes
from maps.queries.database import Row, row, rows


def totals(alias: str) -> Row:
    """Return `{"uploads", "zones", "mobs", "positions", "sightings", "lootings", "items"}` of a locale."""
    return row(alias, "totals") or {}


def newest_confirmed(alias: str, limit: int = 10) -> list[Row]:
    """Return the creatures first seen last among those with a confirmed spawn point.

    Each has `id`, `name`, `min`, `max`, `boss`, `react`, `first_seen` and the zone of its most sighted
    confirmed spawn point as `zone` (id) and `zone_name`.
    """
    return [shapes.with_reaction(mob) for mob in rows(alias, "newest_confirmed", rows=limit)]
