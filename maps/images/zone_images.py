"""Draw the images of a zone from the database: the contours of each floor, and the preview for links to it."""

from __future__ import annotations

import numpy as np

from maps import paging, queries
from maps.images import contours, drawing

#: Name of the preview among the parts of a zone's published file.
PREVIEW = "preview.png"

#: More dots than this would hide each other in a preview.
MAX_DOTS = 3000


def contour_part(floor: int) -> str:
    """Return the name of a floor's contours among the parts of a zone's published file."""
    return f"contours-{floor}.png"


def parts(alias: str, zone: int) -> dict[str, bytes]:
    """Draw all images of a zone. Returns PNGs by name, none if nothing is known about the zone."""
    found = queries.zone(alias, zone)
    if found is None:
        return {}
    densities = _densities(alias, zone, found["floors"])
    drawn = {contour_part(floor): drawing.contour_image(density) for floor, density in densities.items()}
    return drawn | {PREVIEW: _preview(alias, zone, densities)}


def contour_image(alias: str, zone: int, floor: int) -> bytes | None:
    """Draw the contours of one floor of a zone. Returns None if nothing was seen there."""
    density = _density(alias, zone, floor)
    return None if density is None else drawing.contour_image(density)


def preview(alias: str, zone: int) -> bytes | None:
    """Draw the first floor of a zone with its spawn points. Returns None if nothing is known about the zone."""
    found = queries.zone(alias, zone)
    if found is None:
        return None
    return _preview(alias, zone, _densities(alias, zone, found["floors"][:1]))


def _densities(alias: str, zone: int, floors: list[int]) -> dict[int, contours.Grid]:
    """Return the density of each floor on which anything was seen."""
    return {floor: density for floor in floors if (density := _density(alias, zone, floor)) is not None}


def _density(alias: str, zone: int, floor: int) -> contours.Grid | None:
    rows = queries.zone_coordinates(alias, zone, floor)
    if not rows:
        return None
    xy = np.concatenate([np.asarray(row["xy"], dtype=np.int64) for row in rows])
    return contours.density(xy, np.concatenate([np.asarray(row["sightings"], dtype=np.int64) for row in rows]))


def _preview(alias: str, zone: int, densities: dict[int, contours.Grid]) -> bytes:
    """Draw the lowest of these floors, an empty map if there is none."""
    if not densities:
        return drawing.preview(contours.density(np.zeros(0, np.int64), np.zeros(0, np.int64)), [])
    first = min(densities)
    mobs = queries.zone_mobs(alias, zone, paging.MAX_LIMIT)["mobs"]
    ranks = {mob["id"]: rank for rank, mob in enumerate(mobs)}
    spawns = [spawn for spawn in queries.zone_spawns(alias, zone) if spawn["floor"] == first]
    spawns.sort(key=lambda spawn: -spawn["sightings"])
    # Those with the most sightings are drawn last, on top.
    dots = [(ranks.get(one["mob"], 0), one["x"], one["y"], one["confirmed"]) for one in reversed(spawns[:MAX_DOTS])]
    return drawing.preview(densities[first], dots)
