-- Return a page of the creatures seen in a zone (on one floor, or on all if floor is null), by name.
-- Reads: habitat (by mob_habitat), creature, creature_name, named_creature.
-- mobs is null for all creatures; after_name is null for the first page; rows is null for all that follow.
SELECT
    page.mob AS id, page.name,
    traits.level_min AS min, traits.level_max AS max, COALESCE(traits.boss, false) AS boss, traits.reactions,
    page.positions, page.sightings, page.unplaced
FROM (
    SELECT here.*, named.name
    FROM (
        SELECT
            p.mob, sum(p.positions)::bigint AS positions, sum(p.sightings)::bigint AS sightings,
            sum(p.unplaced)::bigint AS unplaced
        FROM mob_habitat p
        WHERE p.zone = %(zone)s AND (%(floor)s::int IS NULL OR p.floor = %(floor)s::int)
        GROUP BY p.mob
    ) AS here
    CROSS JOIN LATERAL (
        SELECT COALESCE(mob_name(here.mob), %(creature_word)s || ' ' || here.mob) AS name
    ) AS named
    WHERE (%(mobs)s::bigint[] IS NULL OR here.mob = ANY (%(mobs)s::bigint[]))
        AND (
            %(after_name)s::text IS NULL
            OR (named.name COLLATE name_order, here.mob) > (%(after_name)s::text, %(after_id)s::bigint)
        )
    ORDER BY named.name COLLATE name_order, here.mob
    LIMIT %(rows)s
) AS page
CROSS JOIN LATERAL mob_traits(page.mob) AS traits
ORDER BY page.name COLLATE name_order, page.mob;
