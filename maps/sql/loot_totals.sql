-- How often some sources, counted as one, were looted.
-- Reads: loot. difficulty is null for all.
SELECT
    COALESCE(sum(l.lootings) FILTER (WHERE asked), 0)::bigint AS lootings,
    COALESCE(sum(l.money_lootings) FILTER (WHERE asked), 0)::bigint AS money_lootings,
    COALESCE(sum(l.copper) FILTER (WHERE asked), 0)::bigint AS copper,
    COALESCE(array_agg(DISTINCT l.difficulty) FILTER (WHERE l.difficulty <> ''), '{}') AS difficulties
FROM loot l
CROSS JOIN LATERAL (SELECT %(difficulty)s::text IS NULL OR l.difficulty = %(difficulty)s::text) AS a (asked)
WHERE l.source = ANY (%(sources)s::int[]);
