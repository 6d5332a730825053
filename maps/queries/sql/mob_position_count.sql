-- How many coordinates a creature has, those of several raw ids not united. Reads: habitat, named_creature.
SELECT COALESCE(sum(cardinality(p.xy)), 0)::bigint AS positions
FROM mob_subjects(%(mob)s) AS u
JOIN habitat p ON p.subject = u.subject;
