"""Zones, the creatures in them, and what a zone's map draws."""

from __future__ import annotations

from django.core.cache import cache

from maps import paging
from maps.estimate import recency
from maps.queries import flat, shapes
from maps.queries.database import row, rows
from maps.queries.shapes import Row

#: The numbers per spawn point in the flat lists of `zone_map`, in this order.
SPAWN_FIELDS = ["floor", "x", "y", "radius", "sightings", "uploaders", "confirmed", "last_seen"]

#: Limits of a zone's map: its best known creatures, and the best known spawn points of each. They are several times
#: what any zone of the game has; one malicious upload can bring a hundred thousand names.
MAX_MOBS, MAX_SPAWNS, MAX_SPAWNS_OF_ONE = 2_000, 50_000, 1_000
#: Finding the best known zones or sources reads the whole locale.
BEST_KNOWN_CACHE_S = 30


def zones(alias: str, limit: int = paging.DEFAULT_LIMIT, after: str | None = None) -> Row:
    """Return a page of zones by name: `{"zones": [{"id", "name", "mobs", "positions", "sightings"}], "next"}`.

    `after` is the `next` of the previous page. Raises `paging.BadCursor`.
    """
    name, number = paging.decode("zones", (str, int), after) or (None, None)
    found = rows(alias, "zones", after_name=name, after_id=number, rows=limit + 1)
    return shapes.page("zones", found, limit)


def has_many_zones(alias: str, limit: int) -> bool:
    """Return whether uploads have named more zones than `limit`."""
    return row(alias, "zones_exceed", limit=limit) is not None


def best_known_zones(alias: str, limit: int) -> list[Row]:
    """Return the best known zones, as in `zones`, the best known first. In a list by name invented ones may be first.

    Each process caches them for `BEST_KNOWN_CACHE_S`.
    """
    key = f"maps:best-known-zones:{alias}:{limit}"
    found: list[Row] | None
    found = cache.get_or_set(key, lambda: rows(alias, "zones_best_known", rows=limit), BEST_KNOWN_CACHE_S)
    return found or []


def zone_head(alias: str, zone_id: int) -> Row | None:
    """Return a zone's `id` and `name`, or None if nothing is known about it."""
    return row(alias, "zone_head", zone=zone_id)


def zone(alias: str, zone_id: int) -> Row | None:
    """Return a zone as in `zones` with its `floors` (`[0, 1]`), or None if nothing is known about it."""
    return row(alias, "zone", zone=zone_id)


def zone_mobs(
    alias: str, zone_id: int, limit: int = paging.DEFAULT_LIMIT, after: str | None = None, floor: int | None = None
) -> Row:
    """Return a page of a zone's creatures by name: `{"mobs": [{"id", "name", "min", …}], "next"}`.

    Each has `id`, `name`, `min`, `max`, `boss`, `react`, `positions`, `sightings`, `unplaced`, counted in
    this zone (on one floor if `floor` is given). Raises `paging.BadCursor`.
    """
    name, number = paging.decode("mobs", (str, int), after) or (None, None)
    found = rows(
        alias, "zone_mobs", zone=zone_id, floor=floor, mobs=None, after_name=name, after_id=number, rows=limit + 1
    )
    return shapes.page("mobs", [shapes.with_reaction(mob) for mob in found], limit)


def zone_map(alias: str, zone_id: int) -> Row | None:
    """Return what a zone's map draws, or None if nothing is known about the zone.

    `zone` (as `zone()` returns it), `fields` (`SPAWN_FIELDS`), and `mobs` as in `zone_mobs`, by name: the best known
    ones up to `MAX_MOBS` creatures and `MAX_SPAWNS` spawn points. Each has `spawns`: one flat list with eight numbers
    per spawn point in the order of `fields`, for example `[0, 21.6, 33, 0.4, 12, 3, 1, 20000]`; days count from
    1970-01-01. `patrols` lists which of the spawn points are patrols, and their areas (`flat.patrol`):
    `[{"spawn": 0, "ring": [[20, 30], [25, 30], …]}]`, each ring closed by its first point.
    Flat lists keep a zone of 400 creatures small enough for one request.
    """
    found = zone(alias, zone_id)
    if found is None:
        return None
    drawn = _drawn(alias, zone_id)
    mobs = rows(alias, "zone_mobs", zone=zone_id, floor=None, mobs=drawn, after_name=None, after_id=None, rows=None)
    spawns = _spawns(alias, zone_id, drawn)
    last_seen = recency.last_seen(spawns, rows(alias, "zone_last_seen", zone=zone_id, mobs=drawn))
    points: dict[int, list[float]] = {}
    patrols: dict[int, list[Row]] = {}
    for spawn, day in zip(spawns, last_seen, strict=True):
        numbers = points.setdefault(spawn["mob"], [])
        if spawn["area"] is not None:
            patrol = flat.patrol(len(numbers) // len(SPAWN_FIELDS), spawn["area"])
            patrols.setdefault(spawn["mob"], []).append(patrol)
        numbers += [*_flat(spawn), day]
    return {
        "zone": found,
        "fields": SPAWN_FIELDS,
        "mobs": [
            shapes.with_reaction(mob) | {"spawns": points.get(mob["id"], []), "patrols": patrols.get(mob["id"], [])}
            for mob in mobs
        ],
    }


def zone_spawns(alias: str, zone_id: int) -> list[Row]:
    """Return the spawn points that a zone's map draws, each with `mob`, `floor`, `x`, `y` and its figures."""
    return _spawns(alias, zone_id, _drawn(alias, zone_id))


def _drawn(alias: str, zone_id: int) -> list[int]:
    """Return the ids of the creatures that a zone's map draws."""
    limits = {"mobs": MAX_MOBS, "points": MAX_SPAWNS, "of_one": MAX_SPAWNS_OF_ONE}
    return [each["mob"] for each in rows(alias, "zone_mobs_drawn", zone=zone_id, **limits)]


def _spawns(alias: str, zone_id: int, mobs: list[int]) -> list[Row]:
    return rows(alias, "zone_spawns", zone=zone_id, mobs=mobs, of_one=MAX_SPAWNS_OF_ONE)


def zone_coordinates(alias: str, zone_id: int, floor: int) -> list[Row]:
    """Return the packed coordinates of all subjects on a floor of a zone, as rows with `xy` and `sightings`."""
    return rows(alias, "zone_coordinates", zone=zone_id, floor=floor)


def _flat(spawn: Row) -> list[float]:
    """Return a spawn point's numbers in the order of `SPAWN_FIELDS`, without the day."""
    return [
        spawn["floor"],
        shapes.short(spawn["x"]),
        shapes.short(spawn["y"]),
        shapes.short(spawn["radius"]),
        spawn["sightings"],
        spawn["uploaders"],
        int(spawn["confirmed"]),
    ]
