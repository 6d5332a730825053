-- Return the names of some sources.
-- Reads: source (by shown_source), item, zone, named_creature, creature_name.
SELECT
    v.source,
    CASE
        WHEN v.mob IS NOT NULL THEN COALESCE(mob_name(v.mob), %(creature_word)s || ' ' || v.mob)
        WHEN v.object IS NOT NULL THEN v.object
        WHEN v.item IS NOT NULL THEN
            COALESCE((SELECT i.name FROM item i WHERE i.id = v.item), %(item_word)s || ' ' || v.item)
        ELSE COALESCE((SELECT z.name FROM zone z WHERE z.id = v.zone), v.kind)
    END AS name
FROM shown_source v
WHERE v.source = ANY (%(sources)s::int[]);
