-- Return a page of the zones that anything is known about, by name.
-- Reads: zone, habitat (by mob_habitat), loot. after_name is null for the first page.
SELECT
    z.id, z.name,
    COALESCE(m.mobs, 0) AS mobs,
    COALESCE(m.positions, 0)::bigint AS positions,
    COALESCE(m.sightings, 0)::bigint AS sightings
FROM (
    SELECT z.id, z.name
    FROM zone z
    WHERE (
            EXISTS (SELECT FROM habitat p WHERE p.zone = z.id)
            OR EXISTS (SELECT FROM loot l WHERE l.zone = z.id)
        )
        AND (
            %(after_name)s::text IS NULL
            OR (z.name COLLATE name_order, z.id) > (%(after_name)s::text, %(after_id)s::bigint)
        )
    ORDER BY z.name COLLATE name_order, z.id
    LIMIT %(rows)s
) AS z
LEFT JOIN LATERAL (
    SELECT count(DISTINCT p.mob) AS mobs, sum(p.positions) AS positions, sum(p.sightings) AS sightings
    FROM mob_habitat p
    WHERE p.zone = z.id
) AS m ON true
ORDER BY z.name COLLATE name_order, z.id;
