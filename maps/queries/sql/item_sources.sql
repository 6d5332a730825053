-- Return every source that gave an item, with its drops and all its lootings. Sources that readers see as one are summed.
-- Reads: item_drop, source (by shown_source), loot. difficulty is null for all.
SELECT g.kind, g.shown AS source, g.mob, g.drops, total.lootings
FROM (
    SELECT v.shown, v.kind, v.mob, sum(d.drops)::bigint AS drops
    FROM item_drop d
    JOIN shown_source v ON v.source = d.source
    WHERE d.item = %(item)s AND (%(difficulty)s::text IS NULL OR d.difficulty = %(difficulty)s::text)
    GROUP BY v.shown, v.kind, v.mob
) AS g
CROSS JOIN LATERAL (
    SELECT sum(l.lootings)::bigint AS lootings
    FROM source_group(g.shown) AS u
    JOIN loot l ON l.source = u.source
    WHERE %(difficulty)s::text IS NULL OR l.difficulty = %(difficulty)s::text
) AS total;
