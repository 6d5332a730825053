-- Return the packed coordinates of some creatures in a zone and the days they were last seen, one row per raw id and floor.
-- Reads: habitat, named_creature.
SELECT COALESCE(n.shown_as, p.subject) AS mob, p.floor, p.xy, p.last_seen
FROM habitat p
LEFT JOIN named_creature n ON n.id = p.subject
WHERE p.zone = %(zone)s AND p.subject > 0 AND COALESCE(n.shown_as, p.subject) = ANY (%(mobs)s::bigint[])
ORDER BY 1, p.floor;
