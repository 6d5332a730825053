-- Return the number of coordinates of a creature. A coordinate of several raw ids counts several times.
-- Reads: habitat, named_creature (by mob_subjects).
SELECT COALESCE(sum(cardinality(p.xy)), 0)::bigint AS positions
FROM mob_subjects(%(mob)s) AS u
JOIN habitat p ON p.subject = u.subject;
