-- Note down what documents show and a fold has changed (or a subtraction): creatures, sources with what they
-- give, and zones in which something was gathered or looted, which may be all that is known of them.
-- Reads staged_creature, staged_loot, staged_position; writes recounted, and locks rows that are there already, as fold_names.sql does in changed. Under the fold lock.
INSERT INTO recounted (kind, number)
SELECT 'creature', creature FROM staged_creature
UNION
SELECT 'source', source FROM staged_loot
UNION
SELECT 'zone', zone FROM staged_position WHERE subject < 0
UNION
SELECT 'zone', zone FROM staged_loot
ORDER BY 1, 2
ON CONFLICT (kind, number) DO UPDATE SET number = excluded.number
