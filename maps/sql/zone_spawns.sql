-- The spawn points of all creatures in a zone.
-- A patrol has an area, GeoJSON in percent. Reads: spawn.
SELECT
    s.mob, s.floor, ST_X(s.point) AS x, ST_Y(s.point) AS y, s.radius, s.sightings, s.uploaders, s.confirmed,
    ST_AsGeoJSON(s.area, 2)::json AS area
FROM spawn s
WHERE s.zone = %(zone)s
ORDER BY s.mob, s.floor, s.sightings DESC, s.id;
