-- Return the best known sources other than kills: by the number of uploaders of their best known coordinate, then by
-- lootings.
-- Reads: source (by shown_source), loot, habitat. kind is null for all; rows is the limit.
SELECT v.shown AS id
FROM shown_source v
LEFT JOIN (SELECT l.source, sum(l.lootings) AS lootings FROM loot l GROUP BY l.source) AS looting USING (source)
LEFT JOIN (
    SELECT -p.subject AS source, max((SELECT max(u.uploaders) FROM unnest(p.uploaders) AS u (uploaders))) AS uploaders
    FROM habitat p
    WHERE p.subject < 0
    GROUP BY p.subject
) AS seen USING (source)
WHERE v.kind <> 'kill' AND (%(kind)s::text IS NULL OR v.kind = %(kind)s::text)
GROUP BY v.shown
ORDER BY COALESCE(max(seen.uploaders), 0) DESC, COALESCE(sum(looting.lootings), 0) DESC, v.shown
LIMIT %(rows)s;
