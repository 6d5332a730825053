"""Answers that are an excerpt of a published file, equal to what `maps.queries` returns from the tables. Pure.

A function returns None if the file does not contain the answer: what is not in it may be unknown or just left out.
"""

from __future__ import annotations

from maps import paging
from maps.queries import flat, shapes
from maps.queries.shapes import Row

#: Keys that creatures have in a zone's map, but not in the list of the zone's creatures.
DRAWN = {"spawns", "patrols"}


def zone_mobs(content: Row, limit: int, after: str | None) -> Row | None:
    """Return a page of a zone's creatures from its map, as `queries.zone_mobs` does. Raises `paging.BadCursor`."""
    begin, mobs = paging.decode("mobs", (str, int), after), content["mobs"]
    if len(mobs) != content["zone"]["mobs"]:
        return None
    if begin is not None:
        index = next((number for number, mob in enumerate(mobs) if [mob["name"], mob["id"]] == begin), None)
        if index is None:
            return None
        mobs = mobs[index + 1 :]
    listed = [{name: value for name, value in mob.items() if name not in DRAWN} for mob in mobs[: limit + 1]]
    return shapes.page("mobs", listed, limit)


def best_known(content: Row, limit: int, page: int = 1) -> list[Row]:
    """Return a page of a zone's creatures for a list of at most `limit`, by name. The first page has the best known.

    Uploads may contain any number of invented names and ids. That several players saw a creature is harder to invent.
    """
    mobs, fields = content["mobs"], content["fields"]
    listed = mobs if page == 1 else []
    if len(mobs) > limit:
        ranks = sorted(range(len(mobs)), key=lambda rank: _evidence(mobs[rank], fields), reverse=True)
        listed = [mobs[rank] for rank in sorted(ranks[(page - 1) * limit : page * limit])]
    return [{name: value for name, value in mob.items() if name not in DRAWN} for mob in listed]


def _evidence(mob: Row, fields: list[str]) -> tuple[int, int, int]:
    """Return the sort key of a creature in a zone's map, as in creature_list.js and zone_mobs_drawn.sql."""
    confirmed, uploaders = (
        max(mob["spawns"][fields.index(field) :: len(fields)], default=0) for field in ("confirmed", "uploaders")
    )
    return confirmed, uploaders, mob["sightings"]


def positions(content: Row, zone: int | None, floor: int | None) -> Row | None:
    """Return coordinates from a file of habitats, as `queries.mob_positions` and `queries.source_positions` do."""
    return flat.position_features(content["places"], zone, floor) if _has(content, zone) else None


def spawns(content: Row, zone: int, floor: int | None) -> Row | None:
    """Return spawn points from a file of habitats, as `queries.mob_spawns` does."""
    return flat.spawn_features(content["places"], zone, floor) if _has(content, zone) else None


def _has(content: Row, zone: int | None) -> bool:
    return zone is None or any(habitat["zone"] == zone for habitat in content["places"])
