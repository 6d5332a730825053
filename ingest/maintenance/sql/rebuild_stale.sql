-- Note what must be published again once the rebuild tables are live: where the two differ, and no more.
-- Reads the merged counts and named_creature of both schemas; writes rebuild.stale_spawns, rebuild.changed_count.
-- Under the fold lock.
INSERT INTO rebuild.stale_spawns (mob, zone)
WITH differing AS (
    SELECT subject, zone
    FROM public.habitat o FULL JOIN rebuild.habitat n USING (subject, zone, floor)
    WHERE subject > 0 AND o IS DISTINCT FROM n
    UNION
    SELECT p.subject, p.zone
    FROM public.named_creature o
    JOIN rebuild.named_creature n USING (id)
    JOIN rebuild.habitat p ON p.subject = id
    WHERE o.shown_as IS DISTINCT FROM n.shown_as
)
SELECT DISTINCT m.mob, d.zone
FROM differing d
LEFT JOIN public.named_creature o ON o.id = d.subject
LEFT JOIN rebuild.named_creature n ON n.id = d.subject
CROSS JOIN LATERAL (VALUES (d.subject), (o.shown_as), (n.shown_as)) AS m (mob)
WHERE m.mob IS NOT NULL;

INSERT INTO rebuild.changed_count (kind, number)
WITH moved AS (
    SELECT DISTINCT m.mob
    FROM public.named_creature o
    JOIN rebuild.named_creature n USING (id)
    CROSS JOIN LATERAL (VALUES (id), (o.shown_as), (n.shown_as)) AS m (mob)
    WHERE o.shown_as IS DISTINCT FROM n.shown_as AND m.mob IS NOT NULL
), dropped AS (
    SELECT source, item
    FROM public.item_drop o FULL JOIN rebuild.item_drop n USING (source, item, zone, floor, difficulty)
    WHERE o IS DISTINCT FROM n
), present AS (
    SELECT subject, zone
    FROM public.habitat o FULL JOIN rebuild.habitat n USING (subject, zone, floor)
    WHERE o IS DISTINCT FROM n
)
SELECT 'creature', id FROM public.creature o FULL JOIN rebuild.creature n USING (id) WHERE o IS DISTINCT FROM n
UNION
SELECT 'creature', creature
FROM public.creature_name o FULL JOIN rebuild.creature_name n USING (creature, name)
WHERE o IS DISTINCT FROM n
UNION
SELECT 'creature', subject FROM present WHERE subject > 0
UNION
SELECT 'creature', mob FROM moved
UNION
SELECT 'source', s.id FROM moved JOIN source s ON s.creature = moved.mob
UNION
SELECT k.kind, k.number
FROM public.loot o FULL JOIN rebuild.loot n USING (source, zone, floor, difficulty)
CROSS JOIN LATERAL (VALUES ('source', source), ('zone', zone)) AS k (kind, number)
WHERE o IS DISTINCT FROM n
UNION
SELECT 'source', source FROM dropped
UNION
SELECT 'source', -subject FROM present WHERE subject < 0
UNION
SELECT 'item', item FROM dropped
UNION
SELECT 'zone', zone FROM present WHERE subject < 0
