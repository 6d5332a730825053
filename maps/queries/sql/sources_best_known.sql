-- The sources other than kills that most players found at one place, then those looted most often, in that order.
-- Reads: source (by shown_source), loot, habitat. kind is null for all; rows is how many at most.
SELECT v.shown AS id
FROM shown_source v
LEFT JOIN (SELECT l.source, sum(l.lootings) AS lootings FROM loot l GROUP BY l.source) AS looted USING (source)
LEFT JOIN (
    SELECT -p.subject AS source, max((SELECT max(u.uploaders) FROM unnest(p.uploaders) AS u (uploaders))) AS uploaders
    FROM habitat p
    WHERE p.subject < 0
    GROUP BY p.subject
) AS placed USING (source)
WHERE v.kind <> 'kill' AND (%(kind)s::text IS NULL OR v.kind = %(kind)s::text)
GROUP BY v.shown
ORDER BY COALESCE(max(placed.uploaders), 0) DESC, COALESCE(sum(looted.lootings), 0) DESC, v.shown
LIMIT %(rows)s;
