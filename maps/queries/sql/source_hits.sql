-- Return what some sources gave: lootings with an item, with money, and with each other item. Sources that readers see
-- as one are summed.
-- Reads: item_drop, loot, by source_group. difficulty is null for all; rows limits the other items, the most frequent
-- ones first.
SELECT
    w.shown AS source, total.lootings, total.money_lootings,
    (
        SELECT COALESCE(sum(d.drops), 0)::bigint
        FROM source_group(w.shown) AS u
        JOIN item_drop d ON d.source = u.source
        WHERE d.item = %(item)s AND (%(difficulty)s::text IS NULL OR d.difficulty = %(difficulty)s::text)
    ) AS drops,
    ARRAY (
        SELECT sum(d.drops)::bigint
        FROM source_group(w.shown) AS u
        JOIN item_drop d ON d.source = u.source
        WHERE d.item <> %(item)s AND (%(difficulty)s::text IS NULL OR d.difficulty = %(difficulty)s::text)
        GROUP BY d.item
        ORDER BY 1 DESC
        LIMIT %(rows)s
    ) AS other_drops
FROM unnest(%(sources)s::int[]) AS w (shown)
CROSS JOIN LATERAL (
    SELECT COALESCE(sum(l.lootings), 0)::bigint AS lootings, COALESCE(sum(l.money_lootings), 0)::bigint AS money_lootings
    FROM source_group(w.shown) AS u
    JOIN loot l ON l.source = u.source
    WHERE %(difficulty)s::text IS NULL OR l.difficulty = %(difficulty)s::text
) AS total;
