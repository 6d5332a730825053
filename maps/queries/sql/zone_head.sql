-- Return the name of one zone that anything is known about.
-- Reads: zone, habitat, loot.
SELECT z.id, z.name
FROM zone z
WHERE z.id = %(zone)s
    AND (
        EXISTS (SELECT FROM habitat p WHERE p.zone = z.id)
        OR EXISTS (SELECT FROM loot l WHERE l.zone = z.id)
    );
