-- Fold the staged creatures into creature and creature_name.
-- Reads staged_*; writes creature, creature_name, brought, touched_name. Under the locale's fold lock.
INSERT INTO brought (no, new_mobs)
SELECT first_no, count(*)
FROM (SELECT creature, min(no) AS first_no FROM staged_creature GROUP BY creature) s
WHERE NOT EXISTS (SELECT FROM creature c WHERE c.id = s.creature)
GROUP BY first_no;

INSERT INTO creature AS c (id, level_min, level_max, boss, reactions, uploads, first_seen, last_seen)
SELECT
    s.creature, min(s.level_min), max(s.level_max), bool_or(s.boss),
    -- Uploads, not elements: an upload may list a creature twice.
    ARRAY[
        count(DISTINCT s.no) FILTER (WHERE s.reaction = 0), count(DISTINCT s.no) FILTER (WHERE s.reaction = 1),
        count(DISTINCT s.no) FILTER (WHERE s.reaction = 2), count(DISTINCT s.no) FILTER (WHERE s.reaction = 3),
        count(DISTINCT s.no) FILTER (WHERE s.reaction = 4), count(DISTINCT s.no) FILTER (WHERE s.reaction = 5)
    ],
    count(DISTINCT s.no), date '1970-01-01' + min(s.first_day), date '1970-01-01' + max(u.received_day)
FROM staged_creature s JOIN staged_upload u USING (no)
GROUP BY s.creature
ORDER BY s.creature
ON CONFLICT (id) DO UPDATE SET
    level_min = least(c.level_min, excluded.level_min),
    level_max = greatest(c.level_max, excluded.level_max),
    boss = c.boss OR excluded.boss,
    reactions = ARRAY[
        c.reactions[1] + excluded.reactions[1], c.reactions[2] + excluded.reactions[2],
        c.reactions[3] + excluded.reactions[3], c.reactions[4] + excluded.reactions[4],
        c.reactions[5] + excluded.reactions[5], c.reactions[6] + excluded.reactions[6]
    ],
    uploads = c.uploads + excluded.uploads,
    first_seen = least(c.first_seen, excluded.first_seen),
    last_seen = greatest(c.last_seen, excluded.last_seen);

INSERT INTO creature_name AS n (creature, name, uploads)
SELECT creature, name, count(DISTINCT no)
FROM staged_creature
WHERE creature < 2147483648
GROUP BY creature, name
ORDER BY creature, name COLLATE "C"
ON CONFLICT (creature, name) DO UPDATE SET uploads = n.uploads + excluded.uploads;

INSERT INTO touched_name
SELECT name FROM staged_creature
UNION
-- A creature that only loot knows by its name (skinning).
SELECT n.name FROM staged_loot l JOIN source s ON s.id = l.source JOIN named_creature n ON n.id = s.creature
