-- Return the best known spawn points of some creatures in a zone.
-- Only patrols have an area, as GeoJSON in percent. Reads: spawn. of_one limits the spawn points of one creature.
SELECT
    s.mob, s.floor, ST_X(s.point) AS x, ST_Y(s.point) AS y, s.radius, s.sightings, s.uploaders, s.confirmed,
    ST_AsGeoJSON(s.area, 2)::json AS area
FROM (
    SELECT
        s.*,
        row_number() OVER (PARTITION BY s.mob ORDER BY s.confirmed DESC, s.uploaders DESC, s.sightings DESC, s.id) AS rank
    FROM spawn s
    WHERE s.zone = %(zone)s AND s.mob = ANY (%(mobs)s::bigint[])
) AS s
WHERE s.rank <= %(of_one)s
ORDER BY s.mob, s.floor, s.sightings DESC, s.id;
