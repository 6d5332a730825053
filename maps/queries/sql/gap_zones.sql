-- Return zones by the share of their creatures that are not confirmed or not seen for long, the largest share first.
-- Reads: habitat, named_creature, spawn, zone. outdated is a day from 1970-01-01.
WITH here AS (
    SELECT p.zone, COALESCE(n.shown_as, p.subject) AS mob, max(p.last_seen_day) AS last_seen
    FROM habitat p
    LEFT JOIN named_creature n ON n.id = p.subject
    WHERE p.subject > 0
    GROUP BY 1, 2
), confirmed AS (
    SELECT DISTINCT s.zone, s.mob FROM spawn s WHERE s.confirmed
)
SELECT
    z.id, z.name, count(*) AS mobs,
    count(*) FILTER (WHERE s.mob IS NULL) AS unconfirmed,
    count(*) FILTER (WHERE h.last_seen < %(outdated)s) AS outdated,
    max(h.last_seen) AS last_seen
FROM here h
JOIN zone z ON z.id = h.zone
LEFT JOIN confirmed s ON s.zone = h.zone AND s.mob = h.mob
GROUP BY z.id, z.name
HAVING count(*) FILTER (WHERE s.mob IS NULL OR h.last_seen < %(outdated)s) > 0
ORDER BY
    count(*) FILTER (WHERE s.mob IS NULL OR h.last_seen < %(outdated)s)::float8 / count(*) DESC,
    z.name COLLATE name_order, z.id
LIMIT %(rows)s;
