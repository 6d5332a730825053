-- Note which counts a fold or a subtraction has changed: creatures, sources, and zones in which something was gathered
-- or looted (that may be all that is known of a zone). Published files that show them are stale.
-- Reads staged_creature, staged_loot, touched_habitat; writes changed_count. Rows that exist are locked all the same, as
-- fold_names.sql does in stale_spawns. Under the fold lock.
-- Each kind is made distinct by itself, in a hash table of numbers; all together they would be sorted as text, on disk.
INSERT INTO changed_count (kind, number)
SELECT 'creature', creature FROM (SELECT DISTINCT creature FROM staged_creature) c
UNION ALL
SELECT 'source', source FROM (SELECT DISTINCT source FROM staged_loot) s
UNION ALL
SELECT 'zone', zone
FROM (
    SELECT zone FROM touched_habitat WHERE subject < 0
    UNION
    SELECT zone FROM (SELECT DISTINCT zone FROM staged_loot) l
) z
ORDER BY 1, 2
ON CONFLICT (kind, number) DO UPDATE SET number = excluded.number
