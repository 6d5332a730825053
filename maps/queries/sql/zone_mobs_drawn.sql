-- Return the creatures that a zone's map draws: the best known, up to a limit for creatures and for spawn points.
-- The order is that of `_evidence` in excerpts.py. Reads: habitat (by mob_habitat), spawn.
-- of_one limits the spawn points of one creature, points those of all, mobs the creatures.
SELECT mob
FROM (
    SELECT here.mob, row_number() OVER known AS rank, sum(COALESCE(LEAST(s.points, %(of_one)s), 0)) OVER known AS points
    FROM (
        SELECT p.mob, sum(p.sightings) AS sightings FROM mob_habitat p WHERE p.zone = %(zone)s GROUP BY p.mob
    ) AS here
    LEFT JOIN (
        SELECT s.mob, bool_or(s.confirmed) AS confirmed, max(s.uploaders) AS uploaders, count(*) AS points
        FROM spawn s
        WHERE s.zone = %(zone)s
        GROUP BY s.mob
    ) AS s USING (mob)
    WINDOW known AS (
        ORDER BY COALESCE(s.confirmed, false) DESC, COALESCE(s.uploaders, 0) DESC, here.sightings DESC, here.mob
    )
) AS ranked
WHERE rank <= %(mobs)s AND points <= %(points)s
ORDER BY mob;
