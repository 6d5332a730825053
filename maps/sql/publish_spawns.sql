-- Make the spawn points of changed creatures and zones anew from their coordinates.
-- Reads presence, named_creature; writes spawn. Parameters: mobs, zones (arrays in step), eps (percent),
-- confirmed_uploaders. The caller forbids nested loops: the planner cannot know how long the arrays are.
--
-- A plain PostGIS clustering: coordinates within eps of each other (DBSCAN) are one spawn point, at
-- their centre weighted by sightings. Distinct uploaders are counted over the whole cluster.
WITH wanted AS (
    SELECT mob, zone FROM unnest(%(mobs)s::bigint[], %(zones)s::int[]) AS w (mob, zone)
), gone AS (
    DELETE FROM spawn s USING wanted w WHERE s.mob = w.mob AND s.zone = w.zone
), place AS MATERIALIZED (
    -- Every raw row behind a mob. A named creature that is shown as another has none of its own.
    SELECT w.mob, w.zone, p.floor, p.xy, p.sightings, p.seen_by
    FROM wanted w
    JOIN presence p ON p.subject = w.mob AND p.zone = w.zone
    WHERE NOT EXISTS (SELECT FROM named_creature n WHERE n.id = w.mob AND n.shown_as IS NOT NULL)
    UNION ALL
    SELECT w.mob, w.zone, p.floor, p.xy, p.sightings, p.seen_by
    FROM wanted w
    JOIN named_creature n ON n.shown_as = w.mob
    JOIN presence p ON p.subject = n.id AND p.zone = w.zone
), coordinate AS (
    SELECT
        p.mob, p.zone, p.floor, u.xy, (u.xy >> 10) / 10.0 AS x, (u.xy & 1023) / 10.0 AS y,
        sum(u.sightings)::int AS sightings
    FROM place p CROSS JOIN LATERAL unnest(p.xy, p.sightings) AS u (xy, sightings)
    GROUP BY p.mob, p.zone, p.floor, u.xy
), clustered AS MATERIALIZED (
    SELECT
        *, ST_ClusterDBSCAN(ST_MakePoint(x, y), %(eps)s, 1) OVER (PARTITION BY mob, zone, floor) AS cluster
    FROM coordinate
), centre AS (
    SELECT
        mob, zone, floor, cluster, sum(sightings)::int AS sightings,
        sum(x * sightings) / sum(sightings) AS x, sum(y * sightings) / sum(sightings) AS y,
        -- Mean square distance from the centre, as E(x²) - E(x)².
        sum((x * x + y * y) * sightings) / sum(sightings)
            - (sum(x * sightings) / sum(sightings)) ^ 2 - (sum(y * sightings) / sum(sightings)) ^ 2 AS variance
    FROM clustered
    GROUP BY mob, zone, floor, cluster
), met AS (
    SELECT k.mob, k.zone, k.floor, k.cluster, count(DISTINCT s.uploader)::int AS uploaders
    FROM clustered k
    JOIN (
        SELECT p.mob, p.zone, p.floor, (pair >> 32)::int AS xy, (pair & 4294967295)::int AS uploader
        FROM place p CROSS JOIN LATERAL unnest(p.seen_by) AS pair
    ) s USING (mob, zone, floor, xy)
    GROUP BY k.mob, k.zone, k.floor, k.cluster
)
INSERT INTO spawn (mob, zone, floor, point, radius, sightings, uploaders, confirmed)
SELECT
    mob, zone, floor, ST_MakePoint(round(c.x, 2)::float8, round(c.y, 2)::float8),
    round(sqrt(greatest(c.variance, 0)), 2), c.sightings, m.uploaders, m.uploaders >= %(confirmed_uploaders)s
FROM centre c JOIN met m USING (mob, zone, floor, cluster)
