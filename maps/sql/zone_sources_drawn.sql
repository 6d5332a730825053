-- The sources that a zone's map draws: those looted most often, as many as there is room for, and for their coordinates.
-- Reads: loot, presence, source (by shown_source). points is how many coordinates are drawn, sources of how many.
SELECT id
FROM (
    SELECT id, row_number() OVER looted_most AS place, sum(COALESCE(points, 0)) OVER looted_most AS points
    FROM (
        SELECT v.shown AS id, sum(l.lootings) AS lootings
        FROM loot l
        JOIN shown_source v ON v.source = l.source
        WHERE l.zone = %(zone)s AND v.kind <> 'kill'
        GROUP BY v.shown
    ) AS looted
    FULL JOIN (
        SELECT v.shown AS id, sum(p.position_count) AS points
        FROM presence p
        JOIN shown_source v ON v.source = -p.subject
        WHERE p.zone = %(zone)s AND p.subject < 0
        GROUP BY v.shown
    ) AS placed USING (id)
    WINDOW looted_most AS (ORDER BY lootings DESC NULLS LAST, id)
) AS ranked
WHERE place <= %(sources)s AND points <= %(points)s
ORDER BY id;
