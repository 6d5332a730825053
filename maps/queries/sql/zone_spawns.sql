-- The spawn points of some creatures in a zone, of each the best known.
-- A patrol has an area, GeoJSON in percent. Reads: spawn. of_one is how many are told of one creature at most.
SELECT
    s.mob, s.floor, ST_X(s.point) AS x, ST_Y(s.point) AS y, s.radius, s.sightings, s.uploaders, s.confirmed,
    ST_AsGeoJSON(s.area, 2)::json AS area
FROM (
    SELECT
        s.*,
        row_number() OVER (PARTITION BY s.mob ORDER BY s.confirmed DESC, s.uploaders DESC, s.sightings DESC, s.id) AS place
    FROM spawn s
    WHERE s.zone = %(zone)s AND s.mob = ANY (%(mobs)s::bigint[])
) AS s
WHERE s.place <= %(of_one)s
ORDER BY s.mob, s.floor, s.sightings DESC, s.id;
