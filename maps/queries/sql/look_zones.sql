-- Zones by how much of them is known thinly or was not seen for long, the worst first.
-- Reads: habitat, named_creature, spawn, zone. stale is a day from 1970-01-01.
WITH here AS (
    SELECT p.zone, COALESCE(n.shown_as, p.subject) AS mob, max(p.last_seen_day) AS last_seen
    FROM habitat p
    LEFT JOIN named_creature n ON n.id = p.subject
    WHERE p.subject > 0
    GROUP BY 1, 2
), sure AS (
    SELECT DISTINCT s.zone, s.mob FROM spawn s WHERE s.confirmed
)
SELECT
    z.id, z.name, count(*) AS mobs,
    count(*) FILTER (WHERE s.mob IS NULL) AS unsure,
    count(*) FILTER (WHERE h.last_seen < %(stale)s) AS stale,
    max(h.last_seen) AS last_seen
FROM here h
JOIN zone z ON z.id = h.zone
LEFT JOIN sure s ON s.zone = h.zone AND s.mob = h.mob
GROUP BY z.id, z.name
HAVING count(*) FILTER (WHERE s.mob IS NULL OR h.last_seen < %(stale)s) > 0
ORDER BY
    count(*) FILTER (WHERE s.mob IS NULL OR h.last_seen < %(stale)s)::float8 / count(*) DESC,
    z.name COLLATE name_order, z.id
LIMIT %(rows)s;
