-- Return the totals of a locale.
-- Reads: ledger, zone, habitat (by mob_habitat), loot, source, named_creature, creature, item_drop.
SELECT
    (SELECT count(*) FROM ledger) AS uploads,
    (
        SELECT count(*)
        FROM zone z
        WHERE EXISTS (SELECT FROM habitat p WHERE p.zone = z.id) OR EXISTS (SELECT FROM loot l WHERE l.zone = z.id)
    ) AS zones,
    known.mobs, seen.positions, seen.sightings,
    looted.lootings, (SELECT count(*) FROM (SELECT DISTINCT d.item FROM item_drop d) AS d) AS items
FROM (
    SELECT
        COALESCE(sum(p.positions), 0)::bigint AS positions,
        COALESCE(sum(p.sightings), 0)::bigint AS sightings
    FROM mob_habitat p
) AS seen
CROSS JOIN (
    SELECT count(*) AS mobs
    FROM (
        SELECT COALESCE(n.shown_as, c.id) FROM creature c LEFT JOIN named_creature n ON n.id = c.id
        UNION
        SELECT v.mob FROM shown_source v WHERE v.mob IS NOT NULL AND EXISTS (SELECT FROM loot l WHERE l.source = v.source)
    ) AS mob
) AS known
CROSS JOIN (SELECT COALESCE(sum(l.lootings), 0)::bigint AS lootings FROM loot l) AS looted;
