-- Return the number of coordinates of a source. A coordinate of several ids that count as it counts several times.
-- Reads: habitat, source, named_creature (by source_group).
SELECT COALESCE(sum(cardinality(p.xy)), 0)::bigint AS positions
FROM source_group(%(source)s) AS g
JOIN habitat p ON p.subject = -g.source::bigint;
