"""The parts that answers consist of. Pure: counts in, JSON values out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from maps import coordinates, paging
from maps.estimate import rates

#: A row of a query, and a JSON object made of such rows.
Row = dict[str, Any]

EPOCH = date(1970, 1, 1)


def page(listing: str, found: list[Row], limit: int) -> Row:
    """Return a page of a list ordered by name, given its rows: up to one more than `limit`."""
    shown, more = found[:limit], len(found) > limit
    return {listing: shown, "next": paging.encode(listing, [shown[-1]["name"], shown[-1]["id"]]) if more else None}


def with_reaction(mob: Row) -> Row:
    """Replace `reactions` by `react`: the most frequent reaction to each side.

    0 is hostile, 1 neutral, 2 friendly, null unknown; of equally frequent ones the more hostile is taken.
    For example `[4, 0, 0, 0, 0, 9]` becomes `{"alliance": 0, "horde": 2}`.
    """
    counts = mob.pop("reactions") or [0] * 6
    mob["react"] = {"alliance": _most_frequent(counts[:3]), "horde": _most_frequent(counts[3:])}
    return mob


def _most_frequent(counts: list[int | None]) -> int | None:
    known = [count or 0 for count in counts]
    return known.index(max(known)) if any(known) else None


def loot_entry(drop: Row, lootings: int, corrected: rates.Rate | None) -> Row:
    """Return a line of a loot table: `{"item", "name", "drops", "rate", "low", "high", "corrected"}`."""
    counts = {"item": drop["item"], "name": drop["name"], "drops": drop["drops"]}
    return counts | rated(drop["drops"], lootings, corrected)


def rated(drops: int, lootings: int, corrected: rates.Rate | None) -> Row:
    """Return a rate among recorded lootings, and the one corrected for empty lootings (None if unknown)."""
    return {**rates.rate(drops, lootings), "corrected": corrected}


def money(lootings: int, copper: int) -> Row:
    """Return the lootings with money and the mean amount: `{"lootings": 20, "mean_copper": 117.5}`."""
    return {"lootings": lootings, "mean_copper": round(copper / lootings, 2) if lootings else None}


def day(number: int) -> str:
    """Return a day counted from 1970-01-01 as an ISO date: `20000` → `2024-10-04`."""
    return (EPOCH + timedelta(days=number)).isoformat()


def short(value: float) -> float:
    """Return percent rounded to two digits, whole numbers as integers: as precise as a map, in few bytes."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def feature(x_pct: float, y_pct: float, properties: dict[str, Any]) -> Row:
    """Return a GeoJSON point in percent of the zone's map."""
    return {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [x_pct, y_pct]},
        "properties": properties,
    }


def collection(features: list[Row]) -> Row:
    """Return a GeoJSON feature collection."""
    return {"type": "FeatureCollection", "features": features}


def united_by_floor(parts: list[Row]) -> Iterator[tuple[int, int, coordinates.Coordinates]]:
    """Yield zone, floor and united coordinates, given rows of `Habitat` ordered by zone and floor."""
    grouped: dict[tuple[int, int], list[coordinates.Coordinates]] = {}
    for part in parts:
        grouped.setdefault((part["zone"], part["floor"]), []).append(coordinates.Coordinates.from_row(part))
    for (zone, floor), several in grouped.items():
        yield zone, floor, coordinates.unite(several)


def position_features(parts: list[Row]) -> Row:
    """Return merged coordinates as GeoJSON, given rows of `Habitat` ordered by zone and floor."""
    features = []
    for zone, floor, known in united_by_floor(parts):
        columns = (known.xy, known.sightings, known.uploaders, known.first_seen, known.last_seen)
        for xy, *figures in zip(*(column.tolist() for column in columns), strict=True):
            features.append(position_feature(zone, floor, (*coordinates.unpack(xy), *figures)))
    return collection(features)


def position_feature(zone: int, floor: int, numbers: Sequence[Any]) -> Row:
    """Return a coordinate as a GeoJSON point, given x, y, sightings, uploaders, first and last day.

    For example `(21.6, 33.0, 12, 3, 20000, 20007)`.
    """
    x_pct, y_pct, sightings, uploaders, first, last = numbers
    properties = {
        "zone": zone,
        "floor": floor,
        "sightings": sightings,
        "uploaders": uploaders,
        "first_seen": day(first),
        "last_seen": day(last),
    }
    return feature(x_pct, y_pct, properties)
