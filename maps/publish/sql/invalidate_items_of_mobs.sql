-- Invalidate the files of all items that these creatures give, from any kind of source.
-- Reads: named_creature, source, item_drop. Writes and locks: stale_file.
INSERT INTO stale_file (kind, number)
SELECT DISTINCT 'item', d.item::bigint
FROM unnest(%(mobs)s::bigint[]) AS m (id)
CROSS JOIN LATERAL mob_subjects(m.id) AS u
JOIN source s ON s.creature = u.subject
JOIN item_drop d ON d.source = s.id
ORDER BY 2
ON CONFLICT (kind, number) DO UPDATE SET latest = excluded.latest;
