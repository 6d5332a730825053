-- Return one source under the id that readers see, with all sources that count as it.
-- Reads: source (by shown_source), loot, habitat, item, zone, named_creature, creature_name.
SELECT
    v.shown AS id, v.kind,
    CASE
        WHEN v.mob IS NOT NULL THEN COALESCE(mob_name(v.mob), %(creature_word)s || ' ' || v.mob)
        WHEN v.object IS NOT NULL THEN v.object
        WHEN v.item IS NOT NULL THEN
            COALESCE((SELECT i.name FROM item i WHERE i.id = v.item), %(item_word)s || ' ' || v.item)
        ELSE COALESCE((SELECT z.name FROM zone z WHERE z.id = v.zone), v.kind)
    END AS name,
    v.mob, v.item, v.zone, counted.sources
FROM shown_source v
CROSS JOIN LATERAL (SELECT array_agg(g.source) AS sources FROM source_group(v.source) AS g) AS counted
WHERE v.source = %(source)s
    AND (
        EXISTS (SELECT FROM loot l WHERE l.source = ANY (counted.sources))
        OR EXISTS (SELECT FROM habitat p JOIN unnest(counted.sources) AS u (id) ON p.subject = -u.id)
    );
