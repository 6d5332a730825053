"""Creatures: what they are, where they were seen, what they give."""

from __future__ import annotations

from maps.queries import shapes
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


def _properties(spawn: Row) -> Row:
    area = spawn.pop("area")
    return spawn | {"radius": shapes.short(spawn["radius"])} | ({"area": area} if area else {})
