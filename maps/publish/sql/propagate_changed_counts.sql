-- Invalidate the files that show changed counts. The lootings of a source are in the rates of everything it gives, and
-- sources that readers see as one are counted together. An item's name is in the files of all that give it.
-- gathered are the kinds of sources that have files.
-- Reads: named_creature, source, item_drop, loot, habitat. Writes and locks: stale_file.
INSERT INTO stale_file (kind, number, since)
WITH changed AS MATERIALIZED (
    SELECT g.source
    FROM unnest(%(source)s::int[]) AS s (id)
    CROSS JOIN LATERAL source_group(s.id) AS g
    UNION
    -- A source that is an item (opened, disenchanted, …) has the item's name.
    SELECT s.id FROM source s WHERE s.item = ANY (%(item)s::int[])
), renamed AS MATERIALIZED (
    SELECT source FROM changed
    UNION
    -- A source that is a creature has its name; so have all sources that readers see as this one.
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
        SELECT source FROM changed
        UNION
        SELECT d.source FROM item_drop d WHERE d.item = ANY (%(item)s::int[])
    ) AS g
    JOIN source s ON s.id = g.source
    LEFT JOIN named_creature n ON n.id = s.creature
    WHERE s.creature IS NOT NULL
    UNION
    SELECT 'item', d.item FROM changed JOIN item_drop d ON d.source = changed.source
    UNION
    SELECT 'item', id FROM unnest(%(item)s::int[]) AS i (id)
    UNION
    SELECT kind, id FROM unnest(%(zone)s::int[]) AS z (id), (VALUES ('zone-map'), ('zone-sources'), ('zone-images')) AS k (kind)
    UNION
    SELECT 'zone-sources', l.zone FROM renamed JOIN loot l ON l.source = renamed.source
    UNION
    SELECT k.kind, s.id
    FROM (
        SELECT source FROM renamed
        UNION
        SELECT d.source FROM item_drop d WHERE d.item = ANY (%(item)s::int[])
    ) AS g
    JOIN source s ON s.id = g.source
    CROSS JOIN (VALUES ('source'), ('source-habitats')) AS k (kind)
    WHERE s.kind = ANY (%(gathered)s::text[])
    UNION
    -- Levels and names are in the maps of all zones in which a creature was seen, even if the changed record has no zone.
    SELECT 'zone-map', p.zone
    FROM (
        SELECT id FROM unnest(%(creature)s::bigint[]) AS c (id)
        UNION
        SELECT n.shown_as FROM named_creature n WHERE n.id = ANY (%(creature)s::bigint[])
    ) AS m
    CROSS JOIN LATERAL mob_subjects(m.id) AS u
    JOIN habitat p ON p.subject = u.subject
)
SELECT kind, number, CASE kind WHEN 'zone-images' THEN now() + make_interval(secs => %(delay_s)s) ELSE now() END
FROM shown
ORDER BY kind, number
ON CONFLICT (kind, number) DO UPDATE SET latest = excluded.latest;
