-- The zones in which most spawn points are confirmed, then those with most sightings of creatures, by name.
-- Reads: zone, presence (by mob_presence), spawn. rows is how many at most.
SELECT z.id, z.name, best.mobs, best.positions, best.sightings
FROM (
    SELECT here.*
    FROM (
        SELECT
            p.zone, count(DISTINCT p.mob) AS mobs,
            sum(p.positions)::bigint AS positions, sum(p.sightings)::bigint AS sightings
        FROM mob_presence p
        GROUP BY p.zone
    ) AS here
    LEFT JOIN (
        SELECT s.zone, count(*) AS points FROM spawn s WHERE s.confirmed GROUP BY s.zone
    ) AS confirmed USING (zone)
    ORDER BY COALESCE(confirmed.points, 0) DESC, here.sightings DESC, here.zone
    LIMIT %(rows)s
) AS best
JOIN zone z ON z.id = best.zone
ORDER BY z.name COLLATE name_order, z.id;
