-- Invalidate all published files. Reads: zone, creature, source, named_creature, habitat, item, item_drop.
-- Writes and locks: stale_file. gathered are the kinds of sources that have files.
INSERT INTO stale_file (kind, number)
SELECT kind, id FROM zone CROSS JOIN (VALUES ('zone-map'), ('zone-sources'), ('zone-images')) AS k (kind)
UNION
SELECT 'mob', COALESCE(n.shown_as, known.id)
FROM (SELECT id FROM creature UNION SELECT creature FROM source WHERE creature IS NOT NULL) AS known
LEFT JOIN named_creature n ON n.id = known.id
UNION
SELECT 'mob-habitats', COALESCE(n.shown_as, p.subject)
FROM habitat p
LEFT JOIN named_creature n ON n.id = p.subject
WHERE p.subject > 0
UNION
SELECT k.kind, s.id
FROM source s
CROSS JOIN (VALUES ('source'), ('source-habitats')) AS k (kind)
WHERE s.kind = ANY (%(gathered)s::text[])
UNION
SELECT 'item', id FROM item
UNION
SELECT 'item', item FROM item_drop
ORDER BY 1, 2
ON CONFLICT (kind, number) DO UPDATE SET since = least(stale_file.since, excluded.since);
