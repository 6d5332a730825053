-- The spawn points of all creatures in a zone.
-- Reads: spawn.
SELECT
    s.mob, s.floor, ST_X(s.point) AS x, ST_Y(s.point) AS y, s.radius, s.sightings, s.uploaders, s.confirmed
FROM spawn s
WHERE s.zone = %(zone)s
ORDER BY s.mob, s.floor, s.sightings DESC, s.id;
