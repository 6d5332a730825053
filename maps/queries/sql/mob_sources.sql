-- Return the kinds of loot of a creature, each with all sources that readers see as one.
-- Reads: source, named_creature, loot.
SELECT s.kind, (array_agg(s.id ORDER BY s.creature))[1] AS source, array_agg(s.id) AS sources
FROM mob_subjects(%(mob)s) AS u
JOIN source s ON s.creature = u.subject
GROUP BY s.kind
HAVING bool_or(EXISTS (SELECT FROM loot l WHERE l.source = s.id))
ORDER BY s.kind;
