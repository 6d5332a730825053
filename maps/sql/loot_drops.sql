-- What some sources, counted as one, gave: the most frequent items first.
-- Reads: item_drop, item. difficulty is null for all.
SELECT d.item, COALESCE(i.name, %(item_word)s || ' ' || d.item) AS name, d.drops
FROM (
    SELECT d.item, sum(d.drops)::bigint AS drops
    FROM item_drop d
    WHERE d.source = ANY (%(sources)s::int[])
        AND (%(difficulty)s::text IS NULL OR d.difficulty = %(difficulty)s::text)
    GROUP BY d.item
    ORDER BY drops DESC, d.item
    LIMIT %(rows)s
) AS d
LEFT JOIN item i ON i.id = d.item
ORDER BY d.drops DESC, d.item;
