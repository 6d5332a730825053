-- The coordinates behind some shown creatures in some zones, those of one creature on one floor following each other.
-- Reads: habitat, named_creature. Parameters: mobs, zones (arrays in step).
-- A named creature that is shown as another has none of its own.
SELECT mob, zone, floor, xy, sightings, uploaders, first_seen, last_seen, seen_by
FROM (
    SELECT w.mob, w.zone, p.floor, p.xy, p.sightings, p.uploaders, p.first_seen, p.last_seen, p.seen_by
    FROM unnest(%(mobs)s::bigint[], %(zones)s::int[]) AS w (mob, zone)
    JOIN habitat p ON p.subject = w.mob AND p.zone = w.zone
    WHERE NOT EXISTS (SELECT FROM named_creature n WHERE n.id = w.mob AND n.shown_as IS NOT NULL)
    UNION ALL
    SELECT w.mob, w.zone, p.floor, p.xy, p.sightings, p.uploaders, p.first_seen, p.last_seen, p.seen_by
    FROM unnest(%(mobs)s::bigint[], %(zones)s::int[]) AS w (mob, zone)
    JOIN named_creature n ON n.shown_as = w.mob
    JOIN habitat p ON p.subject = n.id AND p.zone = w.zone
) AS place
WHERE xy <> '{}'
ORDER BY mob, zone, floor
