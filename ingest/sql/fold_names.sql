-- Decide anew under which creature each touched name is shown, and mark what must be published anew.
-- Reads creature_name, presence, staged_position, touched_name; writes named_creature, changed. Under the fold lock.
-- A mark that is there already is written anew all the same: this locks it until the counts are committed,
-- so that publishing cannot take it away and still see the old counts.
INSERT INTO changed (mob, zone)
-- Where a name changes its owner, the old and the new one change wherever the named creature is.
SELECT DISTINCT m.mob, p.zone
FROM (
    SELECT n.id, n.shown_as, o.owner
    FROM named_creature n
    JOIN touched_name USING (name)
    LEFT JOIN (
        SELECT name, min(creature) AS owner FROM creature_name WHERE uploads > 0 GROUP BY name HAVING count(*) = 1
    ) o USING (name)
    WHERE n.shown_as IS DISTINCT FROM o.owner
) moved
JOIN presence p ON p.subject = moved.id
CROSS JOIN LATERAL (VALUES (moved.id), (moved.shown_as), (moved.owner)) AS m (mob)
WHERE m.mob IS NOT NULL
ORDER BY 1, 2
ON CONFLICT (mob, zone) DO UPDATE SET mob = excluded.mob;

UPDATE named_creature n
SET shown_as = o.owner
FROM touched_name t
LEFT JOIN (
    SELECT name, min(creature) AS owner FROM creature_name WHERE uploads > 0 GROUP BY name HAVING count(*) = 1
) o USING (name)
WHERE n.name = t.name AND n.shown_as IS DISTINCT FROM o.owner;

INSERT INTO changed (mob, zone)
SELECT DISTINCT coalesce(n.shown_as, s.subject), s.zone
FROM staged_position s LEFT JOIN named_creature n ON n.id = s.subject
WHERE s.subject > 0
ORDER BY 1, 2
ON CONFLICT (mob, zone) DO UPDATE SET mob = excluded.mob
