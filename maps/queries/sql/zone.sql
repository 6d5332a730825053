-- Return one zone that anything is known about, with the floors on which anything was seen.
-- Reads: zone, habitat (also by mob_habitat), loot.
SELECT
    z.id, z.name,
    COALESCE(m.mobs, 0) AS mobs,
    COALESCE(m.positions, 0)::bigint AS positions,
    COALESCE(m.sightings, 0)::bigint AS sightings,
    ARRAY(SELECT DISTINCT p.floor FROM habitat p WHERE p.zone = z.id ORDER BY p.floor) AS floors
FROM zone z
LEFT JOIN LATERAL (
    SELECT count(DISTINCT p.mob) AS mobs, sum(p.positions) AS positions, sum(p.sightings) AS sightings
    FROM mob_habitat p
    WHERE p.zone = z.id
) AS m ON true
WHERE z.id = %(zone)s
    AND (
        EXISTS (SELECT FROM habitat p WHERE p.zone = z.id)
        OR EXISTS (SELECT FROM loot l WHERE l.zone = z.id)
    );
