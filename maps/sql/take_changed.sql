-- Take some marks of what is to be published, from behind a given one on, but none that a running fold holds: taken
-- now, they would be gone before there is anything new to publish. Always `few`, and up to `most` while those taken
-- have no more than so many coordinates, which tell how long their estimate takes.
-- Reads: presence, named_creature. Writes and locks: changed.
WITH following AS (
    SELECT mob, zone
    FROM changed
    WHERE (mob, zone) > (%(after_mob)s, %(after_zone)s)
    ORDER BY mob, zone
    LIMIT %(most)s
), weighed AS (
    SELECT f.mob, f.zone, row_number() OVER by_key AS place, sum(here.coordinates) OVER by_key AS coordinates
    FROM following f
    CROSS JOIN LATERAL (
        SELECT COALESCE(sum(p.position_count), 0) AS coordinates
        FROM mob_subjects(f.mob) AS u
        JOIN presence p ON p.subject = u.subject AND p.zone = f.zone
    ) AS here
    WINDOW by_key AS (ORDER BY f.mob, f.zone)
), free AS (
    SELECT c.mob, c.zone
    FROM weighed w
    JOIN changed c USING (mob, zone)
    WHERE w.place <= %(few)s OR w.coordinates <= %(coordinates)s
    ORDER BY c.mob, c.zone
    FOR UPDATE OF c SKIP LOCKED
)
DELETE FROM changed c USING free f WHERE c.mob = f.mob AND c.zone = f.zone
RETURNING c.mob, c.zone;
