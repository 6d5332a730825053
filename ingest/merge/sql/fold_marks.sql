-- Note down what documents show and a fold has changed (or a subtraction): creatures, sources with what they
-- give, and zones in which something was gathered or looted, which may be all that is known of them.
-- Reads staged_creature, staged_loot, touched_habitat; writes changed_count, and locks rows that are there already, as
-- fold_names.sql does in stale_spawns. Under the fold lock.
-- Each made distinct by itself, in a hash table of numbers: all together they would be sorted as text, on disk.
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
