"""The smallest valid rows of merged data, packed as the fold packs them."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

from django.contrib.gis.geos import Point, Polygon

from maps import coordinates
from maps.models import (
    FIRST_NAMED_ID,
    Creature,
    CreatureName,
    Drop,
    Habitat,
    Item,
    Loot,
    NamedCreature,
    Source,
    Spawn,
    Zone,
)

DE = "map_deDE"
EN = "map_enUS"

#: 2024-10-04, and the day after.
DAY = 20_000

#: Uploaders per coordinate, one per sighting: `{(21.6, 33): [1, 1, 2]}` are three sightings by two uploaders.
Seen = Mapping[tuple[float, float], Sequence[int]]


def zone(name: str, db: str = DE) -> int:
    return Zone.objects.using(db).create(name=name).id


def creature(
    id: int,
    *names: str,
    level_min: int | None = 1,
    level_max: int | None = 1,
    boss: bool = False,
    reactions: Sequence[int] = (0, 0, 0, 0, 0, 0),
    first_seen: date = date(2024, 10, 4),
    last_seen: date = date(2024, 10, 4),
    db: str = DE,
) -> int:
    """Add a creature with these names, each from one upload."""
    Creature.objects.using(db).create(
        id=id,
        level_min=level_min,
        level_max=level_max,
        boss=boss,
        reactions=list(reactions),
        uploads=max(1, len(names)),
        first_seen=first_seen,
        last_seen=last_seen,
        reports=[],
        report_counts=[],
    )
    for name in dict.fromkeys(names):
        CreatureName.objects.using(db).create(creature=id, name=name, uploads=names.count(name))
    return id


def named_creature(name: str, shown_as: int | None = None, number: int = 0, db: str = DE) -> int:
    """Add a creature that uploads name without an id; each needs another `number`."""
    return NamedCreature.objects.using(db).create(id=FIRST_NAMED_ID + number, name=name, shown_as=shown_as).id


def habitat(
    subject: int,
    zone: int,
    seen: Seen,
    *,
    floor: int = 0,
    unplaced: int = 0,
    first_seen: int = DAY,
    last_seen: int = DAY,
    db: str = DE,
) -> None:
    packed = sorted((coordinates.pack(*percent), uploaders) for percent, uploaders in seen.items())
    sightings = [len(uploaders) for _, uploaders in packed]
    entries = Counter(xy << 32 | uploader for xy, uploaders in packed for uploader in uploaders)
    Habitat.objects.using(db).create(
        subject=subject,
        zone=zone,
        floor=floor,
        xy=[xy for xy, _ in packed],
        sightings=sightings,
        uploaders=[len(set(uploaders)) for _, uploaders in packed],
        first_seen=[first_seen] * len(packed),
        last_seen=[last_seen] * len(packed),
        seen_by=b"".join(struct.pack(">q", pair) for pair in sorted(entries)),
        seen_when=b"".join(struct.pack(">iii", entries[pair], first_seen, last_seen) for pair in sorted(entries)),
        unplaced_by=struct.pack(">iii", 1, unplaced, last_seen) if unplaced else b"",
        unplaced=unplaced,
        position_count=len(packed),
        sighting_count=sum(sightings),
        last_seen_day=last_seen,
    )


def source(
    kind: str,
    creature: int | None = None,
    *,
    object: str | None = None,
    item: int | None = None,
    zone: int | None = None,
    db: str = DE,
) -> int:
    return Source.objects.using(db).create(kind=kind, creature=creature, object=object, item=item, zone=zone).id


def loot(
    source: int,
    zone: int,
    lootings: int,
    drops: Mapping[int, int] | None = None,
    *,
    money_lootings: int = 0,
    copper: int = 0,
    floor: int = 0,
    difficulty: str = "",
    db: str = DE,
) -> None:
    """Add lootings of a source, and drops per item."""
    location = {"source": source, "zone": zone, "floor": floor, "difficulty": difficulty}
    Loot.objects.using(db).create(**location, lootings=lootings, money_lootings=money_lootings, copper=copper)
    for item, count in (drops or {}).items():
        Drop.objects.using(db).create(**location, item=item, drops=count)


def item(id: int, name: str, db: str = DE) -> int:
    return Item.objects.using(db).create(id=id, name=name).id


def spawn(
    mob: int,
    zone: int,
    x: float = 50,
    y: float = 50,
    *,
    floor: int = 0,
    radius: float = 1,
    sightings: int = 1,
    uploaders: int = 1,
    confirmed: bool = False,
    area: Polygon | None = None,
    db: str = DE,
) -> None:
    Spawn.objects.using(db).create(
        mob=mob,
        zone=zone,
        floor=floor,
        point=Point(x, y),
        radius=radius,
        sightings=sightings,
        uploaders=uploaders,
        confirmed=confirmed,
        area=area,
    )
