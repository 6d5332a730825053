"""Summaries of a whole locale: totals, gaps in coverage, creatures confirmed last."""

from __future__ import annotations

from datetime import date, timedelta

from django.core.cache import cache

from maps.queries import shapes
from maps.queries.database import rows
from maps.queries.shapes import Row

#: Counting a full locale takes half a second, and the start page shows the totals of all of them.
TOTALS_CACHE_S = 5

#: A creature that was not seen for this long may be gone.
OUTDATED_DAYS = 180

#: Finding the gaps reads a whole locale, and they change slowly.
GAPS_CACHE_S = 60


def totals(alias: str) -> Row:
    """Return `{"uploads", "zones", "mobs", "positions", "sightings", "lootings", "items"}` of a locale.

    Each process caches them for `TOTALS_CACHE_S`.
    """
    key = f"maps:totals:{alias}"
    found: Row | None = cache.get(key)
    if found is None:
        (found,) = rows(alias, "totals")
        cache.set(key, found, TOTALS_CACHE_S)
    return found


def coverage_gaps(alias: str, today: date, zone_id: int | None = None, limit: int = 50) -> Row:
    """Return where more sightings would help most: `{"zones": [...], "mobs": [...]}`, the largest gaps first.

    Zones have `id`, `name`, `mobs` and how many of these are `unconfirmed` (without a confirmed spawn point) and
    `outdated` (not seen for `OUTDATED_DAYS`). Creatures have `id`, `name`, `zone`, `zone_name`, `sightings`,
    `unconfirmed` and `outdated`. Both have `last_seen` (a date). With a zone, only its creatures are returned.
    Each process caches the answer for `GAPS_CACHE_S`.
    """
    key = f"maps:gaps:{alias}:{zone_id}:{limit}:{today}"
    found: Row | None = cache.get(key)
    if found is None:
        outdated = (today - shapes.EPOCH).days - OUTDATED_DAYS
        zones = [] if zone_id is not None else rows(alias, "gap_zones", outdated=outdated, rows=limit)
        mobs = rows(alias, "gap_mobs", outdated=outdated, zone=zone_id, rows=limit)
        for each in [*zones, *mobs]:
            each["last_seen"] = shapes.EPOCH + timedelta(days=each["last_seen"])
        found = {"zones": zones, "mobs": mobs}
        cache.set(key, found, GAPS_CACHE_S)
    return found


def newest_confirmed(alias: str, limit: int = 10) -> list[Row]:
    """Return the creatures with a confirmed spawn point whose first sighting is the most recent.

    Each has `id`, `name`, `min`, `max`, `boss`, `react`, `first_seen` and the zone of its confirmed spawn point with
    the most sightings as `zone` (id) and `zone_name`.
    """
    return [shapes.with_reaction(mob) for mob in rows(alias, "newest_confirmed", rows=limit)]
