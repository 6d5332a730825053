"""The ways of getting loot other than killing: herbs, ores, chests, fishing, skinning and so on."""

from __future__ import annotations

from django.core.cache import cache

from maps import coordinates, paging
from maps.queries import flat, shapes
from maps.queries.database import Row, row, rows
from maps.queries.loot import loot_table
from maps.queries.zones import BEST_KNOWN_REMEMBERED_S, zone

#: The kinds of `maps.models.Source`. A creature's own loot table (kill) is shown with the creature.
KINDS = [
    "skinning",
    "pickpocketing",
    "herb",
    "ore",
    "engineering",
    "chest",
    "item",
    "disenchanting",
    "prospecting",
    "milling",
    "fishing",
]

#: Those of them that have places of their own in a zone, and a shape on its map (`kinds.js`).
GATHERED = ["herb", "ore", "chest", "fishing"]

#: What stands for one coordinate in the flat lists of `zone_sources`, in this order.
POSITION_FIELDS = ["floor", "x", "y", "sightings", "uploaders", "first_seen", "last_seen"]

#: The most that a zone's map draws: the best known sources, and of each its best known coordinates. Several times what
#: any zone of the game holds; one malicious upload can bring a hundred thousand names.
MOST_SOURCES, MOST_POSITIONS, MOST_POSITIONS_OF_ONE = 2_000, 50_000, 5_000


def sources(
    alias: str,
    kind: str | None = None,
    zone_id: int | None = None,
    limit: int = paging.DEFAULT_LIMIT,
    after: str | None = None,
) -> Row:
    """Return a page of sources by name: `{"sources": [{"id", "kind", "name", …}], "next"}`.

    Each has `id`, `kind`, `name`, its target as `mob`, `item` or `zone` (else null), `lootings`,
    `positions` and `sightings`; with a zone, only what was found there. Raises `paging.BadCursor`.
    """
    name, number = paging.decode("sources", (str, int), after) or (None, None)
    found = rows(
        alias, "sources", kind=kind, zone=zone_id, sources=None, after_name=name, after_id=number, rows=limit + 1
    )
    return shapes.page("sources", found, limit)


def has_many_sources(alias: str, kind: str | None, most: int) -> bool:
    """Tell whether uploads have named more sources (of a kind) than `most`."""
    return row(alias, "sources_beyond", kind=kind, most=most) is not None


def best_known_sources(alias: str, kind: str | None, limit: int) -> list[Row]:
    """Return the sources that most is known of, as in `sources`, the best known first; remembered as those of zones."""

    def find() -> list[Row]:
        best = [each["id"] for each in rows(alias, "sources_best_known", kind=kind, rows=limit)]
        found = rows(alias, "sources", kind=kind, zone=None, sources=best, after_name=None, after_id=None, rows=None)
        return sorted(found, key=lambda each: best.index(each["id"]))

    key = f"maps:best-known-sources:{alias}:{kind}:{limit}"
    remembered: list[Row] | None = cache.get_or_set(key, find, BEST_KNOWN_REMEMBERED_S)
    return remembered or []


def source_head(alias: str, source_id: int) -> Row | None:
    """Return `{"id", "kind", "name", "mob", "item", "zone", "sources"}`, or None.

    `id` may be another than asked for: what a creature gives is one source, whichever of its ids or
    names uploads use. `sources` are the ids counted as one.
    """
    return row(alias, "source", source=source_id)


def source(alias: str, source_id: int, difficulty: str | None = None) -> Row | None:
    """Return a source with its `zones`, `lootings`, `loot`, `money` and `difficulties`, or None.

    `zones` has an entry per zone and floor, the most lootings first:
    `{"id", "name", "floor", "positions", "sightings", "unplaced", "lootings"}`.
    """
    head = source_head(alias, source_id)
    if head is None:
        return None
    counted = head.pop("sources")
    return head | {"zones": rows(alias, "source_zones", sources=counted)} | loot_table(alias, counted, difficulty)


def source_positions(alias: str, source_id: int, zone_id: int | None = None, floor: int | None = None) -> Row | None:
    """Return the coordinates at which a source was found as GeoJSON points, whole, or None."""
    head = source_head(alias, source_id)
    if head is None:
        return None
    found = rows(alias, "source_positions", sources=head["sources"], zone=zone_id, floor=floor)
    return shapes.position_features(found)


def source_places(alias: str, source_id: int) -> Row | None:
    """Return all coordinates at which a source was found as its map draws them, or None.

    `id` as in `source_head`, `position_fields`, and `places`, as in `mob_places` without spawn points.
    """
    head = source_head(alias, source_id)
    if head is None:
        return None
    found = rows(alias, "source_positions", sources=head["sources"], zone=None, floor=None)
    return {"id": head["id"], "position_fields": flat.POSITION_FIELDS, "places": flat.places(found)}


def source_position_count(alias: str, source_id: int) -> int:
    """Return how many coordinates `source_places` would tell, or more."""
    found = row(alias, "source_position_count", source=source_id)
    return found["positions"] if found else 0


def zone_sources(alias: str, zone_id: int) -> Row | None:
    """Return the sources of a zone as its map draws them, or None when nothing is known of the zone.

    `zone` (as in `zone_map`), `fields` (`POSITION_FIELDS`) and `sources` as in `sources`, by name, the best
    known if there are more than `MOST_SOURCES` or have more than `MOST_POSITIONS`. Each has `points`: one flat list,
    seven numbers per coordinate in the order of `fields`:
    `[0, 21.6, 33, 12, 3, 20000, 20007]`; days count from 1970-01-01.
    """
    found = zone(alias, zone_id)
    if found is None:
        return None
    most = {"sources": MOST_SOURCES, "points": MOST_POSITIONS, "of_one": MOST_POSITIONS_OF_ONE, "gathered": GATHERED}
    drawn = [each["id"] for each in rows(alias, "zone_sources_drawn", zone=zone_id, **most)]
    listed = rows(alias, "sources", kind=None, zone=zone_id, sources=drawn, after_name=None, after_id=None, rows=None)
    parts: dict[int, list[Row]] = {}
    for part in rows(alias, "zone_source_positions", zone=zone_id, sources=drawn):
        parts.setdefault(part["source"], []).append(part)
    return {
        "zone": found,
        "fields": POSITION_FIELDS,
        "sources": [each | {"points": _flat(parts.get(each["id"], []))} for each in listed],
    }


def _flat(parts: list[Row]) -> list[float]:
    """Return the numbers of a source's best known coordinates in the order of `POSITION_FIELDS`."""
    found: list[tuple[int, ...]] = []
    for _zone, floor, places in shapes.places_by_floor(parts):
        columns = (places.xy, places.sightings, places.uploaders, places.first_seen, places.last_seen)
        found += [(floor, *numbers) for numbers in zip(*(column.tolist() for column in columns), strict=True)]
    if len(found) > MOST_POSITIONS_OF_ONE:
        found.sort(key=lambda one: (one[3], one[2]), reverse=True)
    return [
        number
        for floor, xy, *figures in found[:MOST_POSITIONS_OF_ONE]
        for number in (floor, *map(shapes.short, coordinates.unpack(xy)), *figures)
    ]
