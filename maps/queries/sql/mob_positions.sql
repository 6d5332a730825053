-- Return the packed coordinates of a creature, one row per raw id, zone and floor.
-- Reads: habitat, named_creature. zone and floor are null for all.
-- seen_by, the widest column, is only read for rows that must be united.
SELECT
    p.zone, p.floor, p.xy, p.sightings, p.uploaders, p.first_seen, p.last_seen,
    CASE WHEN count(*) OVER (PARTITION BY p.zone, p.floor) > 1 THEN p.seen_by END AS seen_by
FROM mob_subjects(%(mob)s) AS u
JOIN habitat p ON p.subject = u.subject
WHERE (%(zone)s::int IS NULL OR p.zone = %(zone)s::int) AND (%(floor)s::int IS NULL OR p.floor = %(floor)s::int)
ORDER BY p.zone, p.floor;
