"""A small world to look at: two zones, three creatures, hostile names."""

from __future__ import annotations

from maps.models import FIRST_NAMED_ID
from tests.maps import factories

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>\"'\u202eevil&amp;" + "🐉" * 100

KODO, WORG, BOSS = 10636, 1765, 36597
MANTLE = 3651


def fill(db: str = factories.EN) -> int:
    """Fill a locale and return the zone that has a map with two floors."""
    zone = factories.zone("Thousand Needles", db=db)
    factories.creature(KODO, "Dying Kodo", level_min=30, level_max=31, reactions=(4, 0, 0, 0, 2, 0), db=db)
    factories.creature(WORG, "Éber Worg", level_min=12, level_max=14, db=db)
    factories.creature(BOSS, HOSTILE[:100], level_min=None, level_max=None, boss=True, db=db)
    factories.habitat(KODO, zone, {(21.6, 33): [1, 2, 3], (46.1, 40.7): [1]}, db=db)
    factories.spawn(KODO, zone, 21.6, 33, sightings=3, uploaders=3, confirmed=True, db=db)
    factories.spawn(KODO, zone, 46.1, 40.7, db=db)
    factories.habitat(WORG, zone, {(50, 50): [1, 2]}, db=db)
    factories.spawn(WORG, zone, 50, 50, sightings=2, uploaders=2, db=db)
    factories.habitat(BOSS, zone, {(75, 75): [1]}, floor=1, db=db)
    factories.spawn(BOSS, zone, 75, 75, floor=1, db=db)
    kill = factories.source("kill", KODO, db=db)
    factories.loot(kill, zone, 1234, {MANTLE: 100, 117: 1}, money_lootings=10, copper=120_340, db=db)
    factories.item(MANTLE, "Kodo Mantle", db=db)
    herb = factories.source("herb", object=HOSTILE[:100], db=db)
    factories.loot(herb, zone, 7, {117: 7}, db=db)
    factories.habitat(-herb, zone, {(10, 10): [1]}, db=db)
    factories.named_creature(HOSTILE[:99], db=db)
    factories.creature(FIRST_NAMED_ID, HOSTILE[:99], db=db)
    other = factories.zone(HOSTILE[:100], db=db)
    factories.habitat(FIRST_NAMED_ID, other, {(1, 1): [1]}, db=db)
    factories.item(117, HOSTILE[:100], db=db)
    return zone
