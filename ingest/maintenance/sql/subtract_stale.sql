-- Note what must be published again where positions are subtracted: the creatures, those under which their names are
-- shown until now, and the items of the subtracted drops, which may be all there was of them.
-- Reads staged_position, staged_drop, named_creature; writes stale_spawns, changed_count. Under the fold lock.
INSERT INTO stale_spawns (mob, zone)
SELECT DISTINCT m.mob, s.zone
FROM staged_position s
LEFT JOIN named_creature n ON n.id = s.subject
CROSS JOIN LATERAL (VALUES (s.subject), (n.shown_as)) AS m (mob)
WHERE s.subject > 0 AND m.mob IS NOT NULL
ORDER BY 1, 2
ON CONFLICT (mob, zone) DO UPDATE SET mob = excluded.mob;

INSERT INTO changed_count (kind, number)
SELECT DISTINCT 'item', item::bigint FROM staged_drop
ORDER BY 1, 2
ON CONFLICT (kind, number) DO UPDATE SET number = excluded.number
