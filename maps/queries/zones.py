"""Zones, the creatures in them, and the documents that a zone's map is drawn from."""

from __future__ import annotations

from django.core.cache import cache

from maps import paging
from maps.estimate import recency
from maps.queries import flat, shapes
from maps.queries.database import Row, row, rows

#: What stands for one spawn point in the flat lists of `zone_map`, in this order.
SPAWN_FIELDS = ["floor", "x", "y", "radius", "sightings", "uploaders", "confirmed", "last_seen"]

#: The most that a zone's map draws: the best known creatures and of each its best known spawn points. Several times
#: what any zone of the game holds; one malicious upload can bring a hundred thousand names.
MOST_MOBS, MOST_SPAWNS, MOST_SPAWNS_OF_ONE = 2_000, 50_000, 1_000
BEST_KNOWN_REMEMBERED_S = 30


def zones(alias: str, limit: int = paging.DEFAULT_LIMIT, after: str | None = None) -> Row:
    """Return a page of zones by name: `{"zones": [{"id", "name", "mobs", "positions", "sightings"}], "next"}`.

    `after` is the `next` of the page before. Raises `paging.BadCursor`.
    """
    name, number = paging.decode("zones", (str, int), after) or (None, None)
    found = rows(alias, "zones", after_name=name, after_id=number, rows=limit + 1)
    return shapes.page("zones", found, limit)


def has_many_zones(alias: str, most: int) -> bool:
    """Tell whether uploads have named more zones than `most`."""
    return row(alias, "zones_beyond", most=most) is not None


def best_known_zones(alias: str, limit: int) -> list[Row]:
    """Return the zones that most is known of, as in `zones`, best known first: by name invented ones may come first.

    Each process remembers them for `BEST_KNOWN_REMEMBERED_S`, as they are found among all that is known.
    """
    key = f"maps:best-known-zones:{alias}:{limit}"
    found: list[Row] | None
    found = cache.get_or_set(key, lambda: rows(alias, "zones_best_known", rows=limit), BEST_KNOWN_REMEMBERED_S)
    return found or []


def zone_head(alias: str, zone_id: int) -> Row | None:
    """Return a zone's `id` and `name`, or None when nothing is known of it."""
    return row(alias, "zone_head", zone=zone_id)


def zone(alias: str, zone_id: int) -> Row | None:
    """Return a zone as in `zones` with its `floors` (`[0, 1]`), or None when nothing is known of it."""
    return row(alias, "zone", zone=zone_id)


def zone_mobs(
    alias: str, zone_id: int, limit: int = paging.DEFAULT_LIMIT, after: str | None = None, floor: int | None = None
) -> Row:
    """Return a page of a zone's creatures by name: `{"mobs": [{"id", "name", "min", …}], "next"}`.

    Each has `id`, `name`, `min`, `max`, `boss`, `react`, `positions`, `sightings`, `unplaced`, counted in
    this zone (on one floor if asked for). Raises `paging.BadCursor`.
    """
    name, number = paging.decode("mobs", (str, int), after) or (None, None)
    found = rows(
        alias, "zone_mobs", zone=zone_id, floor=floor, mobs=None, after_name=name, after_id=number, rows=limit + 1
    )
    return shapes.page("mobs", [shapes.with_reaction(mob) for mob in found], limit)


def zone_map(alias: str, zone_id: int) -> Row | None:
    """Return what a zone's map draws, or None when nothing is known of the zone.

    `zone` (as the function of that name returns it), `fields` (`SPAWN_FIELDS`) and `mobs` as in `zone_mobs`, by name,
    the best known if there are more than `MOST_MOBS` or have more than `MOST_SPAWNS`. Each has `spawns`: one flat
    list, eight numbers per spawn point in the order of `fields`, for example
    `[0, 21.6, 33, 0.4, 12, 3, 1, 20000]`; days count from 1970-01-01.
    `patrols` tells which of them walk, and where: `[{"spawn": 0, "ring": [[20, 30], [25, 30], …]}]`, the first point
    again at the end, as in `flat.patrol`. Flat lists keep a zone of 400 creatures small enough for one request.
    """
    found = zone(alias, zone_id)
    if found is None:
        return None
    drawn = _drawn(alias, zone_id)
    mobs = rows(alias, "zone_mobs", zone=zone_id, floor=None, mobs=drawn, after_name=None, after_id=None, rows=None)
    spawns = _spawns(alias, zone_id, drawn)
    last_seen = recency.last_seen(spawns, rows(alias, "zone_habitat", zone=zone_id, mobs=drawn))
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
    most = {"mobs": MOST_MOBS, "points": MOST_SPAWNS, "of_one": MOST_SPAWNS_OF_ONE}
    return [each["mob"] for each in rows(alias, "zone_drawn", zone=zone_id, **most)]


def _spawns(alias: str, zone_id: int, mobs: list[int]) -> list[Row]:
    return rows(alias, "zone_spawns", zone=zone_id, mobs=mobs, of_one=MOST_SPAWNS_OF_ONE)


def zone_ground(alias: str, zone_id: int, floor: int) -> list[Row]:
    """Return the packed coordinates of everything seen on a floor of a zone, as rows of `xy` and `sightings`."""
    return rows(alias, "zone_ground", zone=zone_id, floor=floor)


def _flat(spawn: Row) -> list[float]:
    """Return a spawn point's numbers in the order of `SPAWN_FIELDS`, the day apart."""
    return [
        spawn["floor"],
        shapes.short(spawn["x"]),
        shapes.short(spawn["y"]),
        shapes.short(spawn["radius"]),
        spawn["sightings"],
        spawn["uploaders"],
        int(spawn["confirmed"]),
    ]
