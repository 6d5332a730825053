-- Return a page of the sources other than kills, by name. If zone is given, only what was found there is counted.
-- Reads: source (by shown_source), loot, habitat, item, zone, named_creature, creature_name.
-- kind, zone and sources are null for all; after_name is null for the first page; rows is null for all that follow.
WITH grouped AS (
    SELECT v.shown AS id, v.kind, v.mob, v.object, v.item, v.zone, array_agg(v.source) AS sources
    FROM shown_source v
    WHERE v.kind <> 'kill'
        AND (%(sources)s::int[] IS NULL OR v.shown = ANY (%(sources)s::int[]))
        AND (%(kind)s::text IS NULL OR v.kind = %(kind)s::text)
        AND v.source IN (
            SELECT l.source FROM loot l WHERE %(zone)s::int IS NULL OR l.zone = %(zone)s::int
            UNION
            SELECT -p.subject FROM habitat p
            WHERE p.subject < 0 AND (%(zone)s::int IS NULL OR p.zone = %(zone)s::int)
        )
    GROUP BY v.shown, v.kind, v.mob, v.object, v.item, v.zone
), named AS (
    SELECT
        g.*,
        CASE
            WHEN g.mob IS NOT NULL THEN COALESCE(mob_name(g.mob), %(creature_word)s || ' ' || g.mob)
            WHEN g.object IS NOT NULL THEN g.object
            WHEN g.item IS NOT NULL THEN
                COALESCE((SELECT i.name FROM item i WHERE i.id = g.item), %(item_word)s || ' ' || g.item)
            ELSE COALESCE((SELECT z.name FROM zone z WHERE z.id = g.zone), g.kind)
        END AS name
    FROM grouped g
), page AS (
    SELECT *
    FROM named n
    WHERE %(after_name)s::text IS NULL
        OR (n.name COLLATE name_order, n.id) > (%(after_name)s::text, %(after_id)s::bigint)
    ORDER BY n.name COLLATE name_order, n.id
    LIMIT %(rows)s
)
SELECT p.id, p.kind, p.name, p.mob, p.item, p.zone, looting.lootings, seen.positions, seen.sightings
FROM page p
CROSS JOIN LATERAL (
    SELECT COALESCE(sum(l.lootings), 0)::bigint AS lootings
    FROM loot l
    WHERE l.source = ANY (p.sources) AND (%(zone)s::int IS NULL OR l.zone = %(zone)s::int)
) AS looting
CROSS JOIN LATERAL (
    SELECT COALESCE(sum(s.positions), 0)::bigint AS positions, COALESCE(sum(s.sightings), 0)::bigint AS sightings
    FROM subject_habitat(ARRAY(SELECT -u.id::bigint FROM unnest(p.sources) AS u (id))) AS s
    WHERE %(zone)s::int IS NULL OR s.zone = %(zone)s::int
) AS seen
ORDER BY p.name COLLATE name_order, p.id;
