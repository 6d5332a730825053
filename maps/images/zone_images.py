"""The pictures of a zone, drawn from the database: the ground of each floor, and the preview that links to it show."""

from __future__ import annotations

import numpy as np

from maps import paging, queries
from maps.images import contours, drawing

#: How the parts of a zone's document are called, `ground-0.png` and so on.
PREVIEW = "preview.png"

#: Dots past this many in a preview would hide each other.
MOST_DOTS = 3000


def ground_part(floor: int) -> str:
    """Return the name of the picture of a floor's ground."""
    return f"ground-{floor}.png"


def parts(alias: str, zone: int) -> dict[str, bytes]:
    """Draw all pictures of a zone; returns PNGs by name, none when nothing is known of the zone."""
    found = queries.zone(alias, zone)
    if found is None:
        return {}
    grounds = {floor: walked for floor in found["floors"] if (walked := _walked(alias, zone, floor)) is not None}
    drawn = {ground_part(floor): drawing.ground(walked) for floor, walked in grounds.items()}
    return drawn | {PREVIEW: _preview(alias, zone, grounds)}


def ground_picture(alias: str, zone: int, floor: int) -> bytes | None:
    """Draw where players have walked on one floor of a zone, None if nothing was seen there."""
    walked = _walked(alias, zone, floor)
    return None if walked is None else drawing.ground(walked)


def preview(alias: str, zone: int) -> bytes | None:
    """Draw the first floor of a zone with its spawn points, None when nothing is known of the zone."""
    found = queries.zone(alias, zone)
    if found is None:
        return None
    grounds = {floor: walked for floor in found["floors"][:1] if (walked := _walked(alias, zone, floor)) is not None}
    return _preview(alias, zone, grounds)


def _walked(alias: str, zone: int, floor: int) -> contours.Grid | None:
    rows = queries.zone_ground(alias, zone, floor)
    if not rows:
        return None
    xy = np.concatenate([np.asarray(row["xy"], dtype=np.int64) for row in rows])
    return contours.walked(xy, np.concatenate([np.asarray(row["sightings"], dtype=np.int64) for row in rows]))


def _preview(alias: str, zone: int, grounds: dict[int, contours.Grid]) -> bytes:
    """Draw the first of these floors; without any an empty sheet."""
    if not grounds:
        return drawing.preview(contours.walked(np.zeros(0, np.int64), np.zeros(0, np.int64)), [])
    first = min(grounds)
    mobs = queries.zone_mobs(alias, zone, paging.MAX_LIMIT)["mobs"]
    ranks = {mob["id"]: rank for rank, mob in enumerate(mobs)}
    spawns = [spawn for spawn in queries.zone_spawns(alias, zone) if spawn["floor"] == first]
    spawns.sort(key=lambda spawn: -spawn["sightings"])
    # The surest are drawn last, on top.
    dots = [(ranks.get(one["mob"], 0), one["x"], one["y"], one["confirmed"]) for one in reversed(spawns[:MOST_DOTS])]
    return drawing.preview(grounds[first], dots)
