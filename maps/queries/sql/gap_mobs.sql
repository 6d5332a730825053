-- Return creatures of a zone without a confirmed spawn point there, or not seen there for long, the largest gap first.
-- Reads: habitat, named_creature, spawn, zone, creature_name. zone is null for all zones; outdated is a day from 1970-01-01.
WITH here AS (
    SELECT
        p.zone, COALESCE(n.shown_as, p.subject) AS mob, max(p.last_seen_day) AS last_seen,
        sum(p.sighting_count)::bigint AS sightings
    FROM habitat p
    LEFT JOIN named_creature n ON n.id = p.subject
    WHERE p.subject > 0 AND (%(zone)s::int IS NULL OR p.zone = %(zone)s::int)
    GROUP BY 1, 2
), gap AS (
    SELECT
        h.*,
        NOT EXISTS (SELECT FROM spawn s WHERE s.zone = h.zone AND s.mob = h.mob AND s.confirmed) AS unconfirmed,
        h.last_seen < %(outdated)s AS outdated
    FROM here h
)
SELECT
    g.mob AS id, COALESCE(mob_name(g.mob), %(creature_word)s || ' ' || g.mob) AS name,
    z.id AS zone, z.name AS zone_name, g.sightings, g.last_seen, g.unconfirmed, g.outdated
FROM gap g
JOIN zone z ON z.id = g.zone
WHERE g.unconfirmed OR g.outdated
ORDER BY (g.unconfirmed AND g.outdated) DESC, g.sightings, g.last_seen, g.mob, g.zone
LIMIT %(rows)s;
