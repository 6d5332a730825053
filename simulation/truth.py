"""What a perfect map of the world would show, to compare the merged one with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simulation.loot import Slot
from simulation.uploads import SimulatedUpload
from simulation.world import Spawns, World


def _rates(slots: tuple[Slot, ...]) -> dict[str, float]:
    return {str(slot.item): slot.rate for slot in slots}


def _rows(spawns: Spawns) -> Iterator[tuple[int, int, float, float, float, float, int]]:
    columns = (spawns.target, spawns.site, spawns.x_pct, spawns.y_pct, spawns.dx_pct, spawns.dy_pct, spawns.path)
    yield from zip(*(column.tolist() for column in columns), strict=True)


def truth(world: World, locale: str) -> dict[str, Any]:
    """Return the truth with the names of a locale; creatures by id, zones by name, coordinates in percent.

        {"zones": {"Weidenmark": {"3042": [[21.4, 37.2], …]}},                  spawn points outdoors
         "floors": {"Das versunkene Schreibhaus": {"2": {"9120": [[x, y], …]}}}, … in instances
         "patrols": {"Weidenmark": {"0": {"3042": [[[x, y], …], …]}}},           paths, by floor
         "objects": {"Weidenmark": {"0": {"herb": {"Kerzenkraut": [[x, y], …]}}}},
         "names": {"3042": "Glutkeiler"},
         "drops": {"3042": {"17": 0.31}},      chance of an item per kill
         "empty": {"3042": 0.08},              chance of nothing: such lootings are never recorded
         "money": {"3042": {"chance": 0.7, "mean_copper": 45}},
         "object_drops": {"herb": {"Kerzenkraut": {"2041": 1.0}}}}

    The expected rate among recorded lootings is `drops / (1 - empty)`.
    """
    zone_names = [zone.name.localized(locale) for zone in world.zones]
    found: dict[str, Any] = {"zones": {}, "floors": {}, "patrols": {}, "objects": {}}
    last_path = -1
    for target, site, x, y, dx, dy, path in _rows(world.spawns):
        zone, floor = world.sites[site]
        creature = str(world.creatures[target].id)
        if path < 0:
            creatures = found["floors"].setdefault(zone_names[zone], {}) if floor else found["zones"]
            creatures.setdefault(str(floor) if floor else zone_names[zone], {}).setdefault(creature, []).append([x, y])
            continue
        paths = found["patrols"].setdefault(zone_names[zone], {}).setdefault(str(floor), {}).setdefault(creature, [])
        if path != last_path:
            paths.append([[x, y]])
            last_path = path
        paths[-1].append([round(x + dx, 1), round(y + dy, 1)])
    for target, site, x, y, _, _, _ in _rows(world.object_spawns):
        zone, floor = world.sites[site]
        thing = world.objects[target]
        by_kind = (
            found["objects"].setdefault(zone_names[zone], {}).setdefault(str(floor), {}).setdefault(thing.kind, {})
        )
        by_kind.setdefault(thing.name.localized(locale), []).append([x, y])
    lootable = [creature for creature in world.creatures if creature.loot.slots]
    found["names"] = {str(creature.id): creature.name.localized(locale) for creature in world.creatures}
    found["drops"] = {str(creature.id): _rates(creature.loot.slots) for creature in lootable}
    found["empty"] = {str(creature.id): round(creature.loot.nothing, 6) for creature in lootable}
    found["money"] = {
        str(creature.id): {"chance": creature.loot.money_chance, "mean_copper": creature.loot.mean_copper}
        for creature in lootable
        if creature.loot.money_chance
    }
    found["object_drops"] = {}
    for thing in world.objects:
        found["object_drops"].setdefault(thing.kind, {})[thing.name.localized(locale)] = _rates(thing.slots)
    return found


def item_rows(world: World, locale: str) -> list[tuple[int, str]]:
    """Return all items' ids and names, in the format of `import_names`."""
    return [(item, name.localized(locale)) for item, name in world.items.names.items()]


def book_entry(upload: SimulatedUpload) -> dict[str, Any]:
    """Return what is true of one upload: `{"file": "deDE-v44-00000.xml", "player": "Talwen", "positions": 596, …}`."""
    return {
        "file": upload.file,
        "player": upload.player,
        "malicious": upload.malicious,
        "positions": upload.positions,
        "lootings": upload.lootings,
    }
