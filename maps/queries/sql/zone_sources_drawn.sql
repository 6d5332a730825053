-- Return the sources that a zone's map draws, up to a limit for sources and for coordinates: first the kinds that have a
-- shape on the map, then by the number of uploaders of their best known coordinate, then by lootings.
-- Reads: loot, habitat, source (by shown_source). gathered are the kinds with a shape; of_one limits the coordinates of
-- one source, points those of all, sources the sources.
SELECT id
FROM (
    SELECT id, row_number() OVER known AS rank, sum(COALESCE(LEAST(points, %(of_one)s), 0)) OVER known AS points
    FROM (
        SELECT v.shown AS id, v.kind, sum(l.lootings) AS lootings
        FROM loot l
        JOIN shown_source v ON v.source = l.source
        WHERE l.zone = %(zone)s AND v.kind <> 'kill'
        GROUP BY v.shown, v.kind
    ) AS looting
    FULL JOIN (
        SELECT
            v.shown AS id, v.kind, sum(p.position_count) AS points,
            max((SELECT max(u.uploaders) FROM unnest(p.uploaders) AS u (uploaders))) AS uploaders
        FROM habitat p
        JOIN shown_source v ON v.source = -p.subject
        WHERE p.zone = %(zone)s AND p.subject < 0
        GROUP BY v.shown, v.kind
    ) AS seen USING (id, kind)
    WINDOW known AS (
        ORDER BY kind = ANY (%(gathered)s) DESC, COALESCE(uploaders, 0) DESC, COALESCE(lootings, 0) DESC, id
    )
) AS ranked
WHERE rank <= %(sources)s AND points <= %(points)s
ORDER BY id;
