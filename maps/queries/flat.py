"""Coordinates and spawn points as flat lists of numbers, as published files contain them, and back to GeoJSON. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from maps.coordinates import Y_BITS, Y_MASK, Coordinates
from maps.queries import shapes
from maps.queries.shapes import Row

#: The numbers per coordinate and per spawn point in the flat lists of `mob_habitats`, in this order.
POSITION_FIELDS = ["x", "y", "sightings", "uploaders", "first_seen", "last_seen"]
SPAWN_FIELDS = ["x", "y", "radius", "sightings", "uploaders", "confirmed"]


def habitats(parts: list[Row]) -> list[Row]:
    """Return rows of `Habitat` (ordered by zone and floor) as `[{"zone", "floor", "positions"}]`.

    `positions` holds six numbers per coordinate in the order of `POSITION_FIELDS`: `[21.6, 33.0, 12, 3, 20000, 20007]`.
    Habitats without coordinates are left out.
    """
    return [
        {"zone": zone, "floor": floor, "positions": _positions(known)}
        for zone, floor, known in shapes.united_by_floor(parts)
        if len(known.xy)
    ]


def spawn(row: Row) -> list[float]:
    """Return a spawn point's numbers in the order of `SPAWN_FIELDS`."""
    return [
        *(shapes.short(row[name]) for name in SPAWN_FIELDS[:3]),
        *(row["sightings"], row["uploaders"], int(row["confirmed"])),
    ]


def patrol(number: int, area: Row) -> Row:
    """Return the area (a GeoJSON polygon) of the patrol that is spawn point `number` in its list.

    `{"spawn": 0, "ring": [[20, 30], …]}`, and `holes` if the area has any.
    """
    ring, *holes = area["coordinates"]
    return {"spawn": number, "ring": ring} | ({"holes": holes} if holes else {})


def position_features(known: list[Row], zone: int | None, floor: int | None) -> Row:
    """Return the coordinates of habitats as GeoJSON, equal to what `shapes.position_features` returns for the rows."""
    return shapes.collection(
        [
            shapes.position_feature(habitat["zone"], habitat["floor"], numbers)
            for habitat in _selected(known, zone, floor)
            for numbers in _tuples(habitat["positions"], len(POSITION_FIELDS))
        ]
    )


def spawn_features(known: list[Row], zone: int, floor: int | None) -> Row:
    """Return the spawn points of habitats as GeoJSON, equal to what `queries.mob_spawns` returns."""
    features = []
    for habitat in _selected(known, zone, floor):
        areas = {one["spawn"]: [one["ring"], *one.get("holes", [])] for one in habitat["patrols"]}
        for number, values in enumerate(_tuples(habitat["spawns"], len(SPAWN_FIELDS))):
            x_pct, y_pct, radius, sightings, uploaders, confirmed = values
            properties = {
                "floor": habitat["floor"],
                "radius": radius,
                "sightings": sightings,
                "uploaders": uploaders,
                "confirmed": bool(confirmed),
            }
            if number in areas:
                properties["area"] = {"type": "Polygon", "coordinates": areas[number]}
            features.append(shapes.feature(x_pct, y_pct, properties))
    return shapes.collection(features)


def _positions(known: Coordinates) -> list[float]:
    percent = ((known.xy >> Y_BITS) / 10, (known.xy & Y_MASK) / 10)
    columns = (*percent, known.sightings, known.uploaders, known.first_seen, known.last_seen)
    return [number for one in zip(*(column.tolist() for column in columns), strict=True) for number in one]


def _selected(known: list[Row], zone: int | None, floor: int | None) -> Iterator[Row]:
    for habitat in known:
        if zone in (None, habitat["zone"]) and floor in (None, habitat["floor"]):
            yield habitat


def _tuples(numbers: list[float], size: int) -> Iterator[tuple[float, ...]]:
    """Yield a flat list in tuples of `size` numbers."""
    return zip(*(numbers[field::size] for field in range(size)), strict=True)
