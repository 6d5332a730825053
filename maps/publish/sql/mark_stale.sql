-- Mark where these creatures are, and the maps that show any of these creatures: those of the zones in which something changed, and those of
-- all other zones where the creatures were seen, as names, levels and reactions are the same everywhere. Pictures show
-- what changed in the zone alone; they rest before they are drawn anew.
-- Reads: habitat, named_creature. Writes and locks: stale_file. A mark that is there already is locked as
-- well: taken away before this transaction's changes can be seen, it would be lost.
INSERT INTO stale_file (kind, number, since)
SELECT kind, number, CASE kind WHEN 'zone-pictures' THEN now() + make_interval(secs => %(rest_s)s) ELSE now() END
FROM (
    SELECT kind, zone AS number
    FROM unnest(%(zones)s::int[]) AS changed (zone)
    CROSS JOIN (VALUES ('zone-map'), ('zone-sources'), ('zone-pictures')) AS k (kind)
    UNION
    SELECT 'mob-places', id FROM unnest(%(mobs)s::bigint[]) AS m (id)
    UNION
    SELECT 'mob-places', n.shown_as
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
