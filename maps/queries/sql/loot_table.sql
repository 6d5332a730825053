-- Return the lootings of some sources and the items they gave, the most frequent items first.
-- Reads: loot, item_drop, item, in one statement: no fold may commit between reading the lootings and the drops.
-- difficulty is null for all. There is always at least one row; without any drop its item is null.
SELECT
    totals.lootings, totals.money_lootings, totals.copper, totals.difficulties,
    d.item, COALESCE(i.name, %(item_word)s || ' ' || d.item) AS name, d.drops
FROM (
    SELECT
        COALESCE(sum(l.lootings) FILTER (WHERE selected), 0)::bigint AS lootings,
        COALESCE(sum(l.money_lootings) FILTER (WHERE selected), 0)::bigint AS money_lootings,
        COALESCE(sum(l.copper) FILTER (WHERE selected), 0)::bigint AS copper,
        COALESCE(array_agg(DISTINCT l.difficulty) FILTER (WHERE l.difficulty <> ''), '{}') AS difficulties
    FROM loot l
    CROSS JOIN LATERAL (SELECT %(difficulty)s::text IS NULL OR l.difficulty = %(difficulty)s::text) AS a (selected)
    WHERE l.source = ANY (%(sources)s::int[])
) AS totals
LEFT JOIN (
    SELECT d.item, sum(d.drops)::bigint AS drops
    FROM item_drop d
    WHERE d.source = ANY (%(sources)s::int[])
        AND (%(difficulty)s::text IS NULL OR d.difficulty = %(difficulty)s::text)
    GROUP BY d.item
    ORDER BY drops DESC, d.item
    LIMIT %(rows)s
) AS d ON true
LEFT JOIN item i ON i.id = d.item
ORDER BY d.drops DESC, d.item;
