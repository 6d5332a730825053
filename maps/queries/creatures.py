"""Creatures: name and levels, habitats, loot."""

from __future__ import annotations

from maps.queries import flat, shapes
from maps.queries.database import row, rows
from maps.queries.loot import loot_table
from maps.queries.shapes import Row


def mob_head(alias: str, mob_id: int) -> Row | None:
    """Return `{"id", "name", "min", "max", "boss", "react", "first_seen", "last_seen"}` of a creature, or None.

    `id` is the one that readers see. It differs from `mob_id` if that is a name-only creature whose name belongs to
    exactly one game id by now.
    """
    found = row(alias, "mob", mob=mob_id)
    return shapes.with_reaction(found) if found else None


def mob(alias: str, mob_id: int, difficulty: str | None = None) -> Row | None:
    """Return a creature with its `zones`, `lootings`, `loot`, `money`, `difficulties` and `other_loot`, or None.

    `id` may differ from `mob_id` (see `mob_head`). `zones` has an entry per zone and floor, those with the most
    sightings first: `{"id", "name", "floor", "positions", "sightings", "unplaced"}`. `other_loot` has an
    entry per other kind of source that the creature is: `{"kind", "source", "lootings", "loot", …}`.
    """
    head = mob_head(alias, mob_id)
    if head is None:
        return None
    kinds = rows(alias, "mob_sources", mob=head["id"])
    killed = [source for kind in kinds for source in kind["sources"] if kind["kind"] == "kill"]
    return (
        head
        | {"zones": rows(alias, "mob_zones", mob=head["id"])}
        | loot_table(alias, killed, difficulty, killed=True)
        | {
            "other_loot": [
                {"kind": kind["kind"], "source": kind["source"]} | loot_table(alias, kind["sources"], difficulty)
                for kind in kinds
                if kind["kind"] != "kill"
            ]
        }
    )


def mob_positions(alias: str, mob_id: int, zone_id: int, floor: int | None = None) -> Row:
    """Return all merged coordinates of a creature in a zone as GeoJSON points, ordered by floor, x and y."""
    return shapes.position_features(rows(alias, "mob_positions", mob=mob_id, zone=zone_id, floor=floor))


def mob_spawns(alias: str, mob_id: int, zone_id: int, floor: int | None = None) -> Row:
    """Return a creature's estimated spawn points in a zone as GeoJSON points, those with the most sightings first.

    Those with an `area` (a GeoJSON polygon in percent) are patrols: their point is on the route.
    """
    return shapes.collection(
        [
            shapes.feature(shapes.short(spawn.pop("x")), shapes.short(spawn.pop("y")), _properties(spawn))
            for spawn in rows(alias, "mob_spawns", mob=mob_id, zone=zone_id, floor=floor)
        ]
    )


def mob_habitats(alias: str, mob_id: int) -> Row | None:
    """Return all coordinates and spawn points of a creature, as its maps draw them, or None.

    `id` as in `mob`, `position_fields`, `spawn_fields`, and `places`: an entry per zone and floor, `{"zone", "floor",
    "positions", "spawns", "patrols"}`. `positions` and `spawns` are flat lists with six numbers per coordinate or
    spawn point in the order of their fields, for example `[21.6, 33.0, 12, 3, 20000, 20007]`; days count from
    1970-01-01. `patrols` as in `zone_map`.
    """
    head = mob_head(alias, mob_id)
    if head is None:
        return None
    found: dict[tuple[int, int], Row] = {
        (habitat["zone"], habitat["floor"]): habitat | {"spawns": [], "patrols": []}
        for habitat in flat.habitats(rows(alias, "mob_positions", mob=head["id"], zone=None, floor=None))
    }
    for spawn in rows(alias, "mob_spawns", mob=head["id"], zone=None, floor=None):
        habitat = found.get((spawn["zone"], spawn["floor"]))
        if habitat is None:  # its coordinates were subtracted between the two queries
            continue
        if spawn["area"] is not None:
            habitat["patrols"].append(flat.patrol(len(habitat["spawns"]) // len(flat.SPAWN_FIELDS), spawn["area"]))
        habitat["spawns"] += flat.spawn(spawn)
    fields = {"position_fields": flat.POSITION_FIELDS, "spawn_fields": flat.SPAWN_FIELDS}
    return {"id": head["id"]} | fields | {"places": list(found.values())}


def mob_position_count(alias: str, mob_id: int) -> int:
    """Return an upper limit for the number of coordinates in `mob_habitats`."""
    found = row(alias, "mob_position_count", mob=mob_id)
    return found["positions"] if found else 0


def _properties(spawn: Row) -> Row:
    area = spawn.pop("area")
    spawn.pop("zone")
    return spawn | {"radius": shapes.short(spawn["radius"])} | ({"area": area} if area else {})
