-- Insert estimated spawn points and patrols.
-- Writes: spawn. Parameters: columns as parallel arrays; route is a patrol's route as a WKT MULTILINESTRING, null for a
-- spawn point; half_width (percent) is the distance from the route up to which players see the patrol.
-- The area is clipped to the map. It stays one polygon, because the route is connected and on the map.
INSERT INTO spawn (mob, zone, floor, point, radius, sightings, uploaders, confirmed, area)
SELECT
    mob, zone, floor, ST_MakePoint(x, y), radius, sightings, uploaders, confirmed,
    ST_Intersection(
        ST_Buffer(ST_GeomFromText(route), %(half_width)s, 'quad_segs=2'), ST_MakeEnvelope(0, 0, 100, 100)
    )
FROM unnest(
    %(mob)s::bigint[], %(zone)s::int[], %(floor)s::int[], %(x)s::float8[], %(y)s::float8[], %(radius)s::float8[],
    %(sightings)s::int[], %(uploaders)s::int[], %(confirmed)s::bool[], %(route)s::text[]
) AS s (mob, zone, floor, x, y, radius, sightings, uploaders, confirmed, route)
