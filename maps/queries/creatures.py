"""Creatures: what they are, where they were seen, what they give."""

from __future__ import annotations

from maps.queries import flat, shapes
from maps.queries.database import Row, row, rows
from maps.queries.loot import loot_table


def mob_head(alias: str, mob_id: int) -> Row | None:
    """Return `{"id", "name", "min", "max", "boss", "react", "first_seen", "last_seen"}` of a creature, or None.

    `id` is the one it is shown under: another than asked for when a name-only creature's name belongs
    to exactly one game id by now.
    """
    found = row(alias, "mob", mob=mob_id)
    return shapes.with_reaction(found) if found else None


def mob(alias: str, mob_id: int, difficulty: str | None = None) -> Row | None:
    """Return a creature with its `zones`, `lootings`, `loot`, `money`, `difficulties` and `other_loot`, or None.

    `id` may be another than asked for (see `mob_head`). `zones` has an entry per zone and floor, the most
    sightings first: `{"id", "name", "floor", "positions", "sightings", "unplaced"}`. `other_loot` has an
    entry per other way of getting loot from it: `{"kind", "source", "lootings", "loot", …}`.
    """
    head = mob_head(alias, mob_id)
    if head is None:
        return None
    ways = rows(alias, "mob_sources", mob=head["id"])
    own = [source for way in ways if way["kind"] == "kill" for source in way["sources"]]
    return (
        head
        | {"zones": rows(alias, "mob_zones", mob=head["id"])}
        | loot_table(alias, own, difficulty, killed=True)
        | {
            "other_loot": [
                {"kind": way["kind"], "source": way["source"]} | loot_table(alias, way["sources"], difficulty)
                for way in ways
                if way["kind"] != "kill"
            ]
        }
    )


def mob_positions(alias: str, mob_id: int, zone_id: int, floor: int | None = None) -> Row:
    """Return a shown creature's merged coordinates in a zone as GeoJSON points, whole, in the order of floor, x, y."""
    return shapes.position_features(rows(alias, "mob_positions", mob=mob_id, zone=zone_id, floor=floor))


def mob_spawns(alias: str, mob_id: int, zone_id: int, floor: int | None = None) -> Row:
    """Return a shown creature's estimated spawn points in a zone as GeoJSON points, the most sightings first.

    Those with an `area` (a GeoJSON polygon in percent) are patrols: the point is a place on the way.
    """
    return shapes.collection(
        [
            shapes.feature(shapes.short(spawn.pop("x")), shapes.short(spawn.pop("y")), _properties(spawn))
            for spawn in rows(alias, "mob_spawns", mob=mob_id, zone=zone_id, floor=floor)
        ]
    )


def mob_places(alias: str, mob_id: int) -> Row | None:
    """Return all coordinates and spawn points of a creature as its maps draw them, or None.

    `id` as in `mob`, `position_fields`, `spawn_fields`, and `places`: an entry per zone and floor, `{"zone", "floor",
    "positions", "spawns", "patrols"}`. The first two are flat lists, six numbers per coordinate or spawn point in the
    order of their fields, for example `[21.6, 33.0, 12, 3, 20000, 20007]`; days count from 1970-01-01. `patrols` as in
    `zone_map`, with the `holes` of the area where there are any.
    """
    head = mob_head(alias, mob_id)
    if head is None:
        return None
    found: dict[tuple[int, int], Row] = {
        (place["zone"], place["floor"]): place | {"spawns": [], "patrols": []}
        for place in flat.places(rows(alias, "mob_positions", mob=head["id"], zone=None, floor=None))
    }
    for spawn in rows(alias, "mob_spawns", mob=head["id"], zone=None, floor=None):
        place = found.get((spawn["zone"], spawn["floor"]))
        if place is None:  # its coordinates were taken away a moment ago
            continue
        if spawn["area"] is not None:
            place["patrols"].append(flat.patrol(len(place["spawns"]) // len(flat.SPAWN_FIELDS), spawn["area"]))
        place["spawns"] += flat.spawn(spawn)
    told = {"id": head["id"], "position_fields": flat.POSITION_FIELDS, "spawn_fields": flat.SPAWN_FIELDS}
    return told | {"places": list(found.values())}


def mob_position_count(alias: str, mob_id: int) -> int:
    """Return how many coordinates `mob_places` would tell, or more."""
    found = row(alias, "mob_position_count", mob=mob_id)
    return found["positions"] if found else 0


def _properties(spawn: Row) -> Row:
    area = spawn.pop("area")
    spawn.pop("zone")
    return spawn | {"radius": shapes.short(spawn["radius"])} | ({"area": area} if area else {})
