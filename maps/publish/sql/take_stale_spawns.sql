-- Take stale pairs of creature and zone that are greater than one pair and at most another (`maps.publish.spawn_points`
-- goes through them in rounds), but none that a running fold has locked: they would be published before the fold's changes are visible, and then be lost. Takes up to `always` pairs in any
-- case, and up to `pairs` while those taken have at most `coordinates` coordinates, which determine the time it takes to
-- estimate them.
-- Reads: habitat, named_creature. Writes and locks: stale_spawns.
WITH candidate AS (
    SELECT mob, zone
    FROM stale_spawns
    WHERE (mob, zone) > (%(after_mob)s, %(after_zone)s) AND (mob, zone) <= (%(last_mob)s, %(last_zone)s)
    ORDER BY mob, zone
    LIMIT %(pairs)s
    FOR UPDATE SKIP LOCKED
), summed AS (
    SELECT f.mob, f.zone, row_number() OVER by_key AS rank, sum(here.coordinates) OVER by_key AS coordinates
    FROM candidate f
    CROSS JOIN LATERAL (
        SELECT COALESCE(sum(p.position_count), 0) AS coordinates
        FROM mob_subjects(f.mob) AS u
        JOIN habitat p ON p.subject = u.subject AND p.zone = f.zone
    ) AS here
    WINDOW by_key AS (ORDER BY f.mob, f.zone)
)
DELETE FROM stale_spawns c
USING summed w
WHERE c.mob = w.mob AND c.zone = w.zone AND (w.rank <= %(always)s OR w.coordinates <= %(coordinates)s)
RETURNING c.mob, c.zone;
