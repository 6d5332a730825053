-- Mark the documents that show what folds have counted anew. A source's lootings are in the rates of everything it
-- gives, and sources that are shown as one are counted as one. A name of an item is told by all that give it.
-- gathered are the kinds of sources that have documents.
-- Reads: named_creature, source, item_drop, loot, habitat. Writes and locks: stale_file.
INSERT INTO stale_file (kind, number, since)
WITH looted AS MATERIALIZED (
    SELECT g.source
    FROM unnest(%(source)s::int[]) AS s (id)
    CROSS JOIN LATERAL source_group(s.id) AS g
    UNION
    -- What is in an item, or made of it, goes by its name.
    SELECT s.id FROM source s WHERE s.item = ANY (%(item)s::int[])
), told AS MATERIALIZED (
    SELECT source FROM looted
    UNION
    -- By their names, with what they are counted as one with.
    SELECT s.id
    FROM unnest(%(creature)s::bigint[]) AS c (id)
    LEFT JOIN named_creature n ON n.id = c.id
    CROSS JOIN LATERAL mob_subjects(COALESCE(n.shown_as, c.id)) AS u
    JOIN source s ON s.creature = u.subject
), shown (kind, number) AS (
    SELECT 'mob', id FROM unnest(%(creature)s::bigint[]) AS c (id)
    UNION
    SELECT 'mob', n.shown_as FROM named_creature n WHERE n.id = ANY (%(creature)s::bigint[]) AND n.shown_as IS NOT NULL
    UNION
    SELECT 'mob', COALESCE(n.shown_as, s.creature)
    FROM (
        SELECT source FROM looted
        UNION
        SELECT d.source FROM item_drop d WHERE d.item = ANY (%(item)s::int[])
    ) AS g
    JOIN source s ON s.id = g.source
    LEFT JOIN named_creature n ON n.id = s.creature
    WHERE s.creature IS NOT NULL
    UNION
    SELECT 'item', d.item FROM looted JOIN item_drop d ON d.source = looted.source
    UNION
    SELECT 'item', id FROM unnest(%(item)s::int[]) AS i (id)
    UNION
    SELECT kind, id FROM unnest(%(zone)s::int[]) AS z (id), (VALUES ('zone-map'), ('zone-sources'), ('zone-pictures')) AS k (kind)
    UNION
    SELECT 'zone-sources', l.zone FROM told JOIN loot l ON l.source = told.source
    UNION
    SELECT k.kind, s.id
    FROM (
        SELECT source FROM told
        UNION
        SELECT d.source FROM item_drop d WHERE d.item = ANY (%(item)s::int[])
    ) AS g
    JOIN source s ON s.id = g.source
    CROSS JOIN (VALUES ('source'), ('source-places')) AS k (kind)
    WHERE s.kind = ANY (%(gathered)s::text[])
    UNION
    -- Levels and names are told wherever a creature was seen, also where they come from a record without any zone.
    SELECT 'zone-map', p.zone
    FROM (
        SELECT id FROM unnest(%(creature)s::bigint[]) AS c (id)
        UNION
        SELECT n.shown_as FROM named_creature n WHERE n.id = ANY (%(creature)s::bigint[])
    ) AS m
    CROSS JOIN LATERAL mob_subjects(m.id) AS u
    JOIN habitat p ON p.subject = u.subject
)
SELECT kind, number, CASE kind WHEN 'zone-pictures' THEN now() + make_interval(secs => %(rest_s)s) ELSE now() END
FROM shown
ORDER BY kind, number
ON CONFLICT (kind, number) DO UPDATE SET latest = excluded.latest;
