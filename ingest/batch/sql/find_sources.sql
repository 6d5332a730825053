-- The ids of sources by their keys; absent parts of a key are null.
-- Reads source. Parameters: parallel arrays, `source` being the caller's own number.
SELECT w.source, s.id
FROM unnest(
    %(source)s::int[], %(kind)s::text[], %(creature)s::bigint[], %(object)s::text[], %(item)s::int[], %(zone)s::int[]
) AS w (source, kind, creature, object, item, zone)
JOIN source s
    -- Over stand-ins for null, as in the key's index; no part is ever 0 or ''.
    ON s.kind = w.kind
    AND coalesce(s.creature, 0) = coalesce(w.creature, 0)
    AND coalesce(s.object, '') = coalesce(w.object, '')
    AND coalesce(s.item, 0) = coalesce(w.item, 0)
    AND coalesce(s.zone, 0) = coalesce(w.zone, 0)
