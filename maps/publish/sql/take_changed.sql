-- Take some marks of what is to be published, behind a given one up to another, but none that a running fold holds:
-- taken now, they would be gone before there is anything new to publish. Always `few`, and up to `most` while those taken
-- have no more than so many coordinates, which tell how long their estimate takes.
-- Reads: habitat, named_creature. Writes and locks: stale_spawns.
WITH following AS (
    SELECT mob, zone
    FROM stale_spawns
    WHERE (mob, zone) > (%(after_mob)s, %(after_zone)s) AND (mob, zone) <= (%(last_mob)s, %(last_zone)s)
    ORDER BY mob, zone
    LIMIT %(most)s
    FOR UPDATE SKIP LOCKED
), weighed AS (
    SELECT f.mob, f.zone, row_number() OVER by_key AS place, sum(here.coordinates) OVER by_key AS coordinates
    FROM following f
    CROSS JOIN LATERAL (
        SELECT COALESCE(sum(p.position_count), 0) AS coordinates
        FROM mob_subjects(f.mob) AS u
        JOIN habitat p ON p.subject = u.subject AND p.zone = f.zone
    ) AS here
    WINDOW by_key AS (ORDER BY f.mob, f.zone)
)
DELETE FROM stale_spawns c
USING weighed w
WHERE c.mob = w.mob AND c.zone = w.zone AND (w.place <= %(few)s OR w.coordinates <= %(coordinates)s)
RETURNING c.mob, c.zone;
