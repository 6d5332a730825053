-- Decide under which creature each touched name is shown, and note whose spawn points are stale.
-- Reads creature_name, habitat, source, touched_habitat, touched_name; writes named_creature, stale_spawns,
-- changed_count. Under the fold lock.
-- Rows of stale_spawns and changed_count that exist are written again: this locks them until the counts are committed,
-- so that publishing can't take them and still read the old counts.
WITH moved AS (
    SELECT n.id, m.mob
    FROM named_creature n
    JOIN touched_name USING (name)
    LEFT JOIN (
        SELECT name, min(creature) AS owner FROM creature_name WHERE uploads > 0 GROUP BY name HAVING count(*) = 1
    ) o USING (name)
    CROSS JOIN LATERAL (VALUES (n.id), (n.shown_as), (o.owner)) AS m (mob)
    WHERE n.shown_as IS DISTINCT FROM o.owner AND m.mob IS NOT NULL
), moved_loot AS (
    INSERT INTO changed_count (kind, number)
    SELECT 'creature', mob FROM moved
    UNION
    SELECT 'source', s.id FROM moved JOIN source s ON s.creature = moved.mob
    ORDER BY 1, 2
    ON CONFLICT (kind, number) DO UPDATE SET number = excluded.number
)
INSERT INTO stale_spawns (mob, zone)
-- If a name moves to another creature, both change wherever the named creature was seen.
SELECT DISTINCT moved.mob, h.zone
FROM moved
JOIN habitat h ON h.subject = moved.id
ORDER BY 1, 2
ON CONFLICT (mob, zone) DO UPDATE SET mob = excluded.mob;

UPDATE named_creature n
SET shown_as = o.owner
FROM touched_name t
LEFT JOIN (
    SELECT name, min(creature) AS owner FROM creature_name WHERE uploads > 0 GROUP BY name HAVING count(*) = 1
) o USING (name)
WHERE n.name = t.name AND n.shown_as IS DISTINCT FROM o.owner;

INSERT INTO stale_spawns (mob, zone)
SELECT DISTINCT coalesce(n.shown_as, t.subject), t.zone
FROM touched_habitat t LEFT JOIN named_creature n ON n.id = t.subject
WHERE t.subject > 0
ORDER BY 1, 2
ON CONFLICT (mob, zone) DO UPDATE SET mob = excluded.mob
