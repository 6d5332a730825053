"""Sources of loot other than killing: herbs, ores, chests, fishing, skinning and so on."""

from __future__ import annotations

from django.core.cache import cache

from maps import coordinates, paging
from maps.queries import flat, shapes
from maps.queries.database import row, rows
from maps.queries.loot import loot_table
from maps.queries.shapes import Row
from maps.queries.zones import BEST_KNOWN_CACHE_S, zone

#: The kinds that pages and API list: those of `ingest`'s grammar, without `unknown`. `kill` is shown with the creature.
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

#: The kinds of gathering sources. Only they are on a zone's map, with a shape (`kinds.js`) and a color (`map.css`).
GATHERED = ["herb", "ore", "chest", "fishing"]

#: The numbers per coordinate in the flat lists of `zone_sources`, in this order.
POSITION_FIELDS = ["floor", "x", "y", "sightings", "uploaders", "first_seen", "last_seen"]

#: Limits of a zone's map: its best known sources, and the best known coordinates of each. They are several times what
#: any zone of the game has; one malicious upload can bring a hundred thousand names.
MAX_SOURCES, MAX_POSITIONS, MAX_POSITIONS_OF_ONE = 2_000, 50_000, 5_000


def sources(
    alias: str,
    kind: str | None = None,
    zone_id: int | None = None,
    limit: int = paging.DEFAULT_LIMIT,
    after: str | None = None,
) -> Row:
    """Return a page of sources by name: `{"sources": [{"id", "kind", "name", …}], "next"}`.

    Each has `id`, `kind`, `name`, its target as `mob`, `item` or `zone` (else null), `lootings`,
    `positions` and `sightings`. With a zone, only what was found there is counted. Raises `paging.BadCursor`.
    """
    name, number = paging.decode("sources", (str, int), after) or (None, None)
    found = rows(
        alias, "sources", kind=kind, zone=zone_id, sources=None, after_name=name, after_id=number, rows=limit + 1
    )
    return shapes.page("sources", found, limit)


def has_many_sources(alias: str, kind: str | None, limit: int) -> bool:
    """Return whether uploads have named more sources (of a kind) than `limit`."""
    return row(alias, "sources_exceed", kind=kind, limit=limit) is not None


def best_known_sources(alias: str, kind: str | None, limit: int) -> list[Row]:
    """Return the best known sources, as in `sources`, the best known first. Each process caches them."""

    def find() -> list[Row]:
        best = [each["id"] for each in rows(alias, "sources_best_known", kind=kind, rows=limit)]
        found = rows(alias, "sources", kind=kind, zone=None, sources=best, after_name=None, after_id=None, rows=None)
        return sorted(found, key=lambda each: best.index(each["id"]))

    key = f"maps:best-known-sources:{alias}:{kind}:{limit}"
    cached: list[Row] | None = cache.get_or_set(key, find, BEST_KNOWN_CACHE_S)
    return cached or []


def source_head(alias: str, source_id: int) -> Row | None:
    """Return `{"id", "kind", "name", "mob", "item", "zone", "sources"}`, or None.

    `id` may differ from `source_id`: one kind of loot of a creature is one source, whichever of its ids or
    names uploads use. `sources` are the ids that count as this one.
    """
    return row(alias, "source", source=source_id)


def source(alias: str, source_id: int, difficulty: str | None = None) -> Row | None:
    """Return a source with its `zones`, `lootings`, `loot`, `money` and `difficulties`, or None.

    `zones` has an entry per zone and floor, those with the most lootings first:
    `{"id", "name", "floor", "positions", "sightings", "unplaced", "lootings"}`.
    """
    head = source_head(alias, source_id)
    if head is None:
        return None
    counted = head.pop("sources")
    return head | {"zones": rows(alias, "source_zones", sources=counted)} | loot_table(alias, counted, difficulty)


def source_positions(alias: str, source_id: int, zone_id: int | None = None, floor: int | None = None) -> Row | None:
    """Return all coordinates at which a source was found as GeoJSON points, or None."""
    head = source_head(alias, source_id)
    if head is None:
        return None
    found = rows(alias, "source_positions", sources=head["sources"], zone=zone_id, floor=floor)
    return shapes.position_features(found)


def source_habitats(alias: str, source_id: int) -> Row | None:
    """Return all coordinates at which a source was found, as its map draws them, or None.

    `id` as in `source_head`, `position_fields`, and `places` as in `mob_habitats`, without spawn points.
    """
    head = source_head(alias, source_id)
    if head is None:
        return None
    found = rows(alias, "source_positions", sources=head["sources"], zone=None, floor=None)
    return {"id": head["id"], "position_fields": flat.POSITION_FIELDS, "places": flat.habitats(found)}


def source_position_count(alias: str, source_id: int) -> int:
    """Return an upper limit for the number of coordinates in `source_habitats`."""
    found = row(alias, "source_position_count", source=source_id)
    return found["positions"] if found else 0


def zone_sources(alias: str, zone_id: int) -> Row | None:
    """Return the sources of a zone, as its map draws them, or None if nothing is known about the zone.

    `zone` (as in `zone_map`), `fields` (`POSITION_FIELDS`), and `sources` as in `sources`, by name: the best known
    ones up to `MAX_SOURCES` sources and `MAX_POSITIONS` coordinates. Each has `points`: one flat list with
    seven numbers per coordinate in the order of `fields`, for example
    `[0, 21.6, 33, 12, 3, 20000, 20007]`; days count from 1970-01-01.
    """
    found = zone(alias, zone_id)
    if found is None:
        return None
    limits = {"sources": MAX_SOURCES, "points": MAX_POSITIONS, "of_one": MAX_POSITIONS_OF_ONE, "gathered": GATHERED}
    drawn = [each["id"] for each in rows(alias, "zone_sources_drawn", zone=zone_id, **limits)]
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
    for _zone, floor, known in shapes.united_by_floor(parts):
        columns = (known.xy, known.sightings, known.uploaders, known.first_seen, known.last_seen)
        found += [(floor, *numbers) for numbers in zip(*(column.tolist() for column in columns), strict=True)]
    if len(found) > MAX_POSITIONS_OF_ONE:
        found.sort(key=lambda one: (one[3], one[2]), reverse=True)
    return [
        number
        for floor, xy, *figures in found[:MAX_POSITIONS_OF_ONE]
        for number in (floor, *map(shapes.short, coordinates.unpack(xy)), *figures)
    ]
