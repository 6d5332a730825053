-- Decide under which creature each name is shown, for names that were copied and not folded.
-- Reads rebuild.creature_name; writes rebuild.named_creature.
UPDATE rebuild.named_creature n
SET shown_as = o.owner
FROM (
    SELECT name, min(creature) AS owner FROM rebuild.creature_name WHERE uploads > 0 GROUP BY name HAVING count(*) = 1
) o
WHERE o.name = n.name
