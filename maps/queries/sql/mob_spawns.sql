-- Return the spawn points of a creature, those with the most sightings first on each floor of each zone.
-- Only patrols have an area, as GeoJSON in percent. Reads: spawn. zone and floor are null for all.
SELECT s.zone, s.floor, ST_X(s.point) AS x, ST_Y(s.point) AS y, s.radius, s.sightings, s.uploaders, s.confirmed,
    ST_AsGeoJSON(s.area, 2)::json AS area
FROM spawn s
WHERE s.mob = %(mob)s AND (%(zone)s::int IS NULL OR s.zone = %(zone)s::int)
    AND (%(floor)s::int IS NULL OR s.floor = %(floor)s::int)
ORDER BY s.zone, s.floor, s.sightings DESC, s.id;
