-- Add sources to their dictionary.
-- Writes source, in the order of the keys. Parameters: parallel arrays (`source` is not used).
INSERT INTO source (kind, creature, object, item, zone)
SELECT w.kind, w.creature, w.object, w.item, w.zone
FROM unnest(%(kind)s::text[], %(creature)s::bigint[], %(object)s::text[], %(item)s::int[], %(zone)s::int[])
    AS w (kind, creature, object, item, zone)
WHERE NOT EXISTS (
    SELECT FROM source s
    WHERE s.kind = w.kind
        AND coalesce(s.creature, 0) = coalesce(w.creature, 0)
        AND coalesce(s.object, '') = coalesce(w.object, '')
        AND coalesce(s.item, 0) = coalesce(w.item, 0)
        AND coalesce(s.zone, 0) = coalesce(w.zone, 0)
)
ORDER BY w.kind, w.creature, w.object COLLATE "C", w.item, w.zone
ON CONFLICT DO NOTHING
