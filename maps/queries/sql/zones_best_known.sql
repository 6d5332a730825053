-- Return the best known zones: by the number of confirmed spawn points, then by sightings.
-- Reads: zone, habitat (also by mob_habitat), spawn. rows is the limit.
SELECT z.id, z.name, here.mobs, here.positions, here.sightings
FROM (
    SELECT
        seen.zone,
        row_number() OVER (ORDER BY COALESCE(confirmed.points, 0) DESC, seen.sightings DESC, seen.zone) AS rank
    FROM (SELECT p.zone, sum(p.sighting_count) AS sightings FROM habitat p GROUP BY p.zone) AS seen
    LEFT JOIN (
        SELECT s.zone, count(*) AS points FROM spawn s WHERE s.confirmed GROUP BY s.zone
    ) AS confirmed USING (zone)
    ORDER BY rank
    LIMIT %(rows)s
) AS best
JOIN zone z ON z.id = best.zone
CROSS JOIN LATERAL (
    SELECT
        count(DISTINCT p.mob) AS mobs,
        COALESCE(sum(p.positions), 0)::bigint AS positions, COALESCE(sum(p.sightings), 0)::bigint AS sightings
    FROM mob_habitat p
    WHERE p.zone = best.zone
) AS here
ORDER BY best.rank;
