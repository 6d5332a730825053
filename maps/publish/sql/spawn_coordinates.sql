-- Return the coordinates behind the spawn points of some creatures in some zones, ordered by creature, zone and floor.
-- Reads: habitat, named_creature. Parameters: mobs, zones (parallel arrays).
-- A named creature that is shown as another one has no spawn points of its own.
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
) AS parts
WHERE xy <> '{}'
ORDER BY mob, zone, floor
