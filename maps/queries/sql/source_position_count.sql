-- How many coordinates a source has, those of several ids that are counted as one not united.
-- Reads: habitat, source, named_creature (by source_group).
SELECT COALESCE(sum(cardinality(p.xy)), 0)::bigint AS positions
FROM source_group(%(source)s) AS g
JOIN habitat p ON p.subject = -g.source::bigint;
