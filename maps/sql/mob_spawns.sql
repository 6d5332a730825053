-- The spawn points of a creature in a zone, the most sightings first on each floor.
-- A patrol has an area, GeoJSON in percent. Reads: spawn. floor is null for all floors.
SELECT s.floor, ST_X(s.point) AS x, ST_Y(s.point) AS y, s.radius, s.sightings, s.uploaders, s.confirmed,
    ST_AsGeoJSON(s.area, 2)::json AS area
FROM spawn s
WHERE s.mob = %(mob)s AND s.zone = %(zone)s AND (%(floor)s::int IS NULL OR s.floor = %(floor)s::int)
ORDER BY s.floor, s.sightings DESC, s.id;
