"""Read a locale's merged data: the functions behind the API and the pages.

Each takes the database alias of the locale first and returns plain dicts in the shape of the API's answers.
A mob is a creature under the id that readers see: one game id with all names that belong to it alone, or a name
without a game id.
"""

from maps.queries.creatures import mob, mob_habitats, mob_head, mob_position_count, mob_positions, mob_spawns
from maps.queries.gathering import (
    GATHERED,
    KINDS,
    best_known_sources,
    has_many_sources,
    source,
    source_habitats,
    source_head,
    source_position_count,
    source_positions,
    sources,
    zone_sources,
)
from maps.queries.items import item
from maps.queries.overview import OUTDATED_DAYS, coverage_gaps, newest_confirmed, totals
from maps.queries.search import MAX_CHARACTERS, MAX_RESULTS, search
from maps.queries.zones import (
    best_known_zones,
    has_many_zones,
    zone,
    zone_coordinates,
    zone_head,
    zone_map,
    zone_mobs,
    zone_spawns,
    zones,
)

__all__ = [
    "GATHERED",
    "KINDS",
    "MAX_CHARACTERS",
    "MAX_RESULTS",
    "OUTDATED_DAYS",
    "best_known_sources",
    "best_known_zones",
    "coverage_gaps",
    "has_many_sources",
    "has_many_zones",
    "item",
    "mob",
    "mob_habitats",
    "mob_head",
    "mob_position_count",
    "mob_positions",
    "mob_spawns",
    "newest_confirmed",
    "search",
    "source",
    "source_habitats",
    "source_head",
    "source_position_count",
    "source_positions",
    "sources",
    "totals",
    "zone",
    "zone_coordinates",
    "zone_head",
    "zone_map",
    "zone_mobs",
    "zone_sources",
    "zone_spawns",
    "zones",
]
