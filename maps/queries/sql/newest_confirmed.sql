-- Return the creatures with a confirmed spawn point whose first sighting is the most recent. The zone is that of the
-- confirmed spawn point with the most sightings.
-- Reads: creature, named_creature, creature_name, spawn, zone.
SELECT
    m.mob AS id, COALESCE(mob_name(m.mob), %(creature_word)s || ' ' || m.mob) AS name,
    traits.level_min AS min, traits.level_max AS max, traits.boss, traits.reactions, m.first_seen,
    z.id AS zone, z.name AS zone_name
FROM (
    SELECT m.mob, m.first_seen
    FROM (
        SELECT COALESCE(n.shown_as, c.id) AS mob, min(c.first_seen) AS first_seen
        FROM creature c
        LEFT JOIN named_creature n ON n.id = c.id
        GROUP BY 1
    ) AS m
    WHERE EXISTS (SELECT FROM spawn s WHERE s.mob = m.mob AND s.confirmed)
    ORDER BY m.first_seen DESC, m.mob
    LIMIT %(rows)s
) AS m
CROSS JOIN LATERAL mob_traits(m.mob) AS traits
CROSS JOIN LATERAL (
    SELECT s.zone FROM spawn s WHERE s.mob = m.mob AND s.confirmed ORDER BY s.sightings DESC, s.zone LIMIT 1
) AS best
JOIN zone z ON z.id = best.zone
ORDER BY m.first_seen DESC, m.mob;
