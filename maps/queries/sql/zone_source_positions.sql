-- Return the packed coordinates of some sources in a zone, one row per source and floor.
-- Reads: habitat, source (by shown_source).
-- seen_by, the widest column, is only read for rows that must be united.
SELECT
    v.shown AS source, p.zone, p.floor, p.xy, p.sightings, p.uploaders, p.first_seen, p.last_seen,
    CASE WHEN count(*) OVER (PARTITION BY v.shown, p.floor) > 1 THEN p.seen_by END AS seen_by
FROM habitat p
JOIN shown_source v ON v.source = -p.subject
WHERE p.zone = %(zone)s AND p.subject < 0 AND v.shown = ANY (%(sources)s::int[])
ORDER BY v.shown, p.floor;
