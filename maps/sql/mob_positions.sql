-- The packed coordinates of a creature in a zone, one row per raw id and floor.
-- Reads: presence, named_creature. floor is null for all floors.
-- seen_by, the widest column, is only read where rows have to be united.
SELECT
    p.zone, p.floor, p.xy, p.sightings, p.uploaders, p.first_seen, p.last_seen,
    CASE WHEN count(*) OVER (PARTITION BY p.floor) > 1 THEN p.seen_by END AS seen_by
FROM mob_subjects(%(mob)s) AS u
JOIN presence p ON p.subject = u.subject
WHERE p.zone = %(zone)s AND (%(floor)s::int IS NULL OR p.floor = %(floor)s::int)
ORDER BY p.zone, p.floor;
