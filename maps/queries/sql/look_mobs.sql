-- Creatures with a known place that no two players agree on, or that nobody saw for long, the thinnest first.
-- Reads: habitat, named_creature, spawn, zone, creature_name. zone is null for all; stale is a day from 1970-01-01.
WITH here AS (
    SELECT
        p.zone, COALESCE(n.shown_as, p.subject) AS mob, max(p.last_seen_day) AS last_seen,
        sum(p.sighting_count)::bigint AS sightings
    FROM habitat p
    LEFT JOIN named_creature n ON n.id = p.subject
    WHERE p.subject > 0 AND (%(zone)s::int IS NULL OR p.zone = %(zone)s::int)
    GROUP BY 1, 2
), worth AS (
    SELECT
        h.*,
        NOT EXISTS (SELECT FROM spawn s WHERE s.zone = h.zone AND s.mob = h.mob AND s.confirmed) AS unsure,
        h.last_seen < %(stale)s AS stale
    FROM here h
)
SELECT
    w.mob AS id, COALESCE(mob_name(w.mob), %(creature_word)s || ' ' || w.mob) AS name,
    z.id AS zone, z.name AS zone_name, w.sightings, w.last_seen, w.unsure, w.stale
FROM worth w
JOIN zone z ON z.id = w.zone
WHERE w.unsure OR w.stale
ORDER BY (w.unsure AND w.stale) DESC, w.sightings, w.last_seen, w.mob, w.zone
LIMIT %(rows)s;
