"""Coordinates and spawn points as flat lists of numbers, as documents hold them, and as GeoJSON made of these. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from maps.coordinates import Y_BITS, Y_MASK, Places
from maps.queries import shapes
from maps.queries.database import Row

#: What stands for one coordinate, and for one spawn point, in the lists of `mob_places`, in this order.
POSITION_FIELDS = ["x", "y", "sightings", "uploaders", "first_seen", "last_seen"]
SPAWN_FIELDS = ["x", "y", "radius", "sightings", "uploaders", "confirmed"]


def places(parts: list[Row]) -> list[Row]:
    """Return rows of `Habitat` (ordered by zone and floor) as `[{"zone", "floor", "positions"}]`.

    `positions` holds six numbers per coordinate in the order of `POSITION_FIELDS`: `[21.6, 33.0, 12, 3, 20000, 20007]`.
    Places without any coordinate are left out.
    """
    return [
        {"zone": zone, "floor": floor, "positions": _positions(here)}
        for zone, floor, here in shapes.places_by_floor(parts)
        if len(here.xy)
    ]


def spawn(row: Row) -> list[float]:
    """Return a spawn point's numbers in the order of `SPAWN_FIELDS`."""
    return [
        *(shapes.short(row[name]) for name in SPAWN_FIELDS[:3]),
        *(row["sightings"], row["uploaders"], int(row["confirmed"])),
    ]


def patrol(number: int, area: Row) -> Row:
    """Return where the spawn point of a place's list walks, of its area as a GeoJSON polygon.

    `{"spawn": 0, "ring": [[20, 30], …]}`, and `holes` where its way leads around something.
    """
    ring, *holes = area["coordinates"]
    return {"spawn": number, "ring": ring} | ({"holes": holes} if holes else {})


def position_features(told: list[Row], zone: int | None, floor: int | None) -> Row:
    """Return the coordinates of places as GeoJSON, the same as `shapes.position_features` makes of the tables' rows."""
    return shapes.collection(
        [
            shapes.position_feature(place["zone"], place["floor"], numbers)
            for place in _chosen(told, zone, floor)
            for numbers in _each(place["positions"], len(POSITION_FIELDS))
        ]
    )


def spawn_features(told: list[Row], zone: int, floor: int | None) -> Row:
    """Return the spawn points of places as GeoJSON, as `mob_spawns` does."""
    features = []
    for place in _chosen(told, zone, floor):
        areas = {one["spawn"]: [one["ring"], *one.get("holes", [])] for one in place["patrols"]}
        for number, values in enumerate(_each(place["spawns"], len(SPAWN_FIELDS))):
            x_pct, y_pct, radius, sightings, uploaders, confirmed = values
            properties = {
                "floor": place["floor"],
                "radius": radius,
                "sightings": sightings,
                "uploaders": uploaders,
                "confirmed": bool(confirmed),
            }
            if number in areas:
                properties["area"] = {"type": "Polygon", "coordinates": areas[number]}
            features.append(shapes.feature(x_pct, y_pct, properties))
    return shapes.collection(features)


def _positions(here: Places) -> list[float]:
    at = ((here.xy >> Y_BITS) / 10, (here.xy & Y_MASK) / 10)
    columns = (*at, here.sightings, here.uploaders, here.first_seen, here.last_seen)
    return [number for one in zip(*(column.tolist() for column in columns), strict=True) for number in one]


def _chosen(told: list[Row], zone: int | None, floor: int | None) -> Iterator[Row]:
    for place in told:
        if zone in (None, place["zone"]) and floor in (None, place["floor"]):
            yield place


def _each(numbers: list[float], fields: int) -> Iterator[tuple[float, ...]]:
    return zip(*(numbers[field::fields] for field in range(fields)), strict=True)
