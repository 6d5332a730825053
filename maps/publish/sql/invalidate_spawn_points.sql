-- Invalidate the habitats of these creatures, the maps of the zones in which spawn points changed, and the maps of all
-- other zones in which the creatures were seen, because names, levels and reactions are the same everywhere. Images show
-- only what changed in their own zone, and are delayed.
-- Reads: habitat, named_creature. Writes and locks: stale_file. A row that exists is locked as well: if another process
-- took it before this transaction commits, it would build the file without these changes.
INSERT INTO stale_file (kind, number, since)
SELECT kind, number, CASE kind WHEN 'zone-images' THEN now() + make_interval(secs => %(delay_s)s) ELSE now() END
FROM (
    SELECT kind, zone AS number
    FROM unnest(%(zones)s::int[]) AS changed (zone)
    CROSS JOIN (VALUES ('zone-map'), ('zone-sources'), ('zone-images')) AS k (kind)
    UNION
    SELECT 'mob-habitats', id FROM unnest(%(mobs)s::bigint[]) AS m (id)
    UNION
    SELECT 'mob-habitats', n.shown_as
    FROM named_creature n
    WHERE n.id = ANY(%(mobs)s::bigint[]) AND n.shown_as IS NOT NULL
    UNION
    SELECT 'zone-map', p.zone FROM habitat p WHERE p.subject = ANY(%(mobs)s::bigint[])
    UNION
    SELECT 'zone-map', p.zone
    FROM named_creature n
    JOIN habitat p ON p.subject = n.id
    WHERE n.shown_as = ANY(%(mobs)s::bigint[])
) AS shown
ORDER BY kind, number
ON CONFLICT (kind, number) DO UPDATE SET latest = excluded.latest;
