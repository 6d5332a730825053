"""Answers that are a part of a published document: the same as `maps.queries` finds in the tables. Pure.

None where a document can't tell: what it says nothing of may be unknown, or just not there.
"""

from __future__ import annotations

from maps import paging
from maps.queries import flat, shapes
from maps.queries.database import Row

#: What a creature has in a zone's map, and not in the list of the zone's creatures.
DRAWN = {"spawns", "patrols"}


def zone_mobs(told: Row, limit: int, after: str | None) -> Row | None:
    """Return a page of a zone's creatures out of its map, as `queries.zone_mobs`. Raises `paging.BadCursor`."""
    begin, mobs = paging.decode("mobs", (str, int), after), told["mobs"]
    if len(mobs) != told["zone"]["mobs"]:
        return None
    if begin is not None:
        place = next((number for number, mob in enumerate(mobs) if [mob["name"], mob["id"]] == begin), None)
        if place is None:
            return None
        mobs = mobs[place + 1 :]
    listed = [{name: value for name, value in mob.items() if name not in DRAWN} for mob in mobs[: limit + 1]]
    return shapes.page("mobs", listed, limit)


def best_known(told: Row, most: int, page: int = 1) -> list[Row]:
    """Return a zone's creatures for a list that holds at most so many, by name: on the first page the best known.

    Uploads may bring any number of invented names, and choose them as well as their ids; that several players met a
    creature is harder to invent.
    """
    mobs, fields = told["mobs"], told["fields"]
    listed = mobs if page == 1 else []
    if len(mobs) > most:
        ranks = sorted(range(len(mobs)), key=lambda rank: _evidence(mobs[rank], fields), reverse=True)
        listed = [mobs[rank] for rank in sorted(ranks[(page - 1) * most : page * most])]
    return [{name: value for name, value in mob.items() if name not in DRAWN} for mob in listed]


def _evidence(mob: Row, fields: list[str]) -> tuple[int, int, int]:
    """Return what ranks a creature of a zone's map; `byEvidence` in list.js and zone_drawn.sql do the same."""
    confirmed, uploaders = (
        max(mob["spawns"][fields.index(field) :: len(fields)], default=0) for field in ("confirmed", "uploaders")
    )
    return confirmed, uploaders, mob["sightings"]


def positions(told: Row, zone: int | None, floor: int | None) -> Row | None:
    """Return coordinates out of a document of places, as `queries.mob_positions`, `queries.source_positions`."""
    return flat.position_features(told["places"], zone, floor) if _has(told, zone) else None


def spawns(told: Row, zone: int, floor: int | None) -> Row | None:
    """Return spawn points out of a document of places, as `queries.mob_spawns`."""
    return flat.spawn_features(told["places"], zone, floor) if _has(told, zone) else None


def _has(told: Row, zone: int | None) -> bool:
    return zone is None or any(place["zone"] == zone for place in told["places"])
