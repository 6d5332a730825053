-- Write spawn points and patrols as they were estimated.
-- Writes: spawn. Parameters: columns as arrays in step; way holds a patrol's legs as a WKT MULTILINESTRING, null
-- for a spawn point; half_width (percent) is how far from its way a patrol is met.
-- The area is kept on the map. It stays in one piece: the way is in one, and on the map.
INSERT INTO spawn (mob, zone, floor, point, radius, sightings, uploaders, confirmed, area)
SELECT
    mob, zone, floor, ST_MakePoint(x, y), radius, sightings, uploaders, confirmed,
    ST_Intersection(
        ST_Buffer(ST_GeomFromText(way), %(half_width)s, 'quad_segs=2'), ST_MakeEnvelope(0, 0, 100, 100)
    )
FROM unnest(
    %(mob)s::bigint[], %(zone)s::int[], %(floor)s::int[], %(x)s::float8[], %(y)s::float8[], %(radius)s::float8[],
    %(sightings)s::int[], %(uploaders)s::int[], %(confirmed)s::bool[], %(way)s::text[]
) AS s (mob, zone, floor, x, y, radius, sightings, uploaders, confirmed, way)
