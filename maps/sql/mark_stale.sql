-- Mark the maps that show any of these creatures: those of the zones in which something changed, and those of
-- all other zones where the creatures were seen, as names, levels and reactions are the same everywhere.
-- Reads: presence, named_creature. Writes and locks: stale_document. A mark that is there already is locked as
-- well: taken away before this transaction's changes can be seen, it would be lost.
INSERT INTO stale_document (kind, number)
SELECT 'zone-map', zone
FROM (
    SELECT zone FROM unnest(%(zones)s::int[]) AS changed (zone)
    UNION
    SELECT p.zone FROM presence p WHERE p.subject = ANY(%(mobs)s::bigint[])
    UNION
    SELECT p.zone
    FROM named_creature n
    JOIN presence p ON p.subject = n.id
    WHERE n.shown_as = ANY(%(mobs)s::bigint[])
) AS shown
ORDER BY zone
ON CONFLICT (kind, number) DO UPDATE SET number = excluded.number;
