"""What a locale holds at a glance."""

from __future__ import annotations

from datetime import date, timedelta

from django.core.cache import cache

from maps.queries import shapes
from maps.queries.database import Row, rows

#: A full locale takes half a second to count; the start page asks for all of them at once.
TOTALS_REMEMBERED_S = 5

#: What was not seen for so long may be gone.
STALE_DAYS = 180

#: Where to look is read off a whole locale and changes slowly.
LOOK_REMEMBERED_S = 60


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


def worth_a_look(alias: str, today: date, zone_id: int | None = None, limit: int = 50) -> Row:
    """Return where more notes would help most: `{"zones": [...], "mobs": [...]}`, the neediest first.

    Zones have `id`, `name`, `mobs` and of these `unsure` (no two players agree on a place) and `stale` (not seen
    for `STALE_DAYS`), creatures `id`, `name`, `zone`, `zone_name`, `sightings`, `unsure` and `stale`; both have
    `last_seen` (a date). With a zone only its creatures. Each process remembers the answer for a minute.
    """
    key = f"maps:look:{alias}:{zone_id}:{limit}:{today}"
    found: Row | None = cache.get(key)
    if found is None:
        stale = (today - shapes.EPOCH).days - STALE_DAYS
        zones = [] if zone_id is not None else rows(alias, "look_zones", stale=stale, rows=limit)
        mobs = rows(alias, "look_mobs", stale=stale, zone=zone_id, rows=limit)
        for each in [*zones, *mobs]:
            each["last_seen"] = shapes.EPOCH + timedelta(days=each["last_seen"])
        found = {"zones": zones, "mobs": mobs}
        cache.set(key, found, LOOK_REMEMBERED_S)
    return found


def newest_confirmed(alias: str, limit: int = 10) -> list[Row]:
    """Return the creatures first seen last among those with a confirmed spawn point.

    Each has `id`, `name`, `min`, `max`, `boss`, `react`, `first_seen` and the zone of its most sighted
    confirmed spawn point as `zone` (id) and `zone_name`.
    """
    return [shapes.with_reaction(mob) for mob in rows(alias, "newest_confirmed", rows=limit)]
