-- Fold the staged coordinates into presence: unpack the touched rows, group old and new, pack again.
-- Reads staged_position, staged_upload, presence; writes presence, brought, folded_*. Under the fold lock.
INSERT INTO folded_seen_by
SELECT p.subject, p.zone, p.floor, pair
FROM (SELECT DISTINCT subject, zone, floor FROM staged_position) t
JOIN presence p USING (subject, zone, floor)
CROSS JOIN LATERAL unnest(p.seen_by) AS pair
UNION
SELECT s.subject, s.zone, s.floor, s.xy::bigint << 32 | u.uploader
FROM staged_position s JOIN staged_upload u USING (no)
WHERE s.xy >= 0;

INSERT INTO folded_position
SELECT
    f.subject, f.zone, f.floor, f.xy, sum(f.sightings), min(f.first_seen), max(f.last_seen),
    -- Null where the coordinate was known before.
    CASE WHEN bool_or(f.no IS NULL) THEN NULL ELSE min(f.no) END
FROM (
    SELECT p.subject, p.zone, p.floor, u.xy, u.sightings, u.first_seen, u.last_seen, NULL::int AS no
    FROM (SELECT DISTINCT subject, zone, floor FROM staged_position) t
    JOIN presence p USING (subject, zone, floor)
    CROSS JOIN LATERAL unnest(p.xy, p.sightings, p.first_seen, p.last_seen)
        AS u (xy, sightings, first_seen, last_seen)
    UNION ALL
    SELECT s.subject, s.zone, s.floor, s.xy, 1, s.first_day, u.received_day, s.no
    FROM staged_position s JOIN staged_upload u USING (no)
    WHERE s.xy >= 0
) f
GROUP BY f.subject, f.zone, f.floor, f.xy;

-- Creatures only: gathering places are no dots of a creature.
INSERT INTO brought (no, new_positions)
SELECT first_no, count(*) FROM folded_position WHERE first_no IS NOT NULL AND subject > 0 GROUP BY first_no;
INSERT INTO brought (no, positions)
SELECT no, count(*) FROM staged_position WHERE xy >= 0 AND subject > 0 GROUP BY no;

INSERT INTO presence AS p (
    subject, zone, floor, xy, sightings, uploaders, first_seen, last_seen, seen_by,
    unplaced, position_count, sighting_count, last_seen_day
)
SELECT
    t.subject, t.zone, t.floor,
    coalesce(f.xy, '{{}}'), coalesce(f.sightings, '{{}}'), coalesce(f.uploaders, '{{}}'),
    coalesce(f.first_seen, '{{}}'), coalesce(f.last_seen, '{{}}'), coalesce(b.seen_by, '{{}}'),
    t.unplaced, coalesce(f.position_count, 0), coalesce(f.sighting_count, 0), t.last_seen_day
FROM (
    SELECT s.subject, s.zone, s.floor, count(*) FILTER (WHERE s.xy < 0) AS unplaced, max(u.received_day) AS last_seen_day
    FROM staged_position s JOIN staged_upload u USING (no)
    GROUP BY s.subject, s.zone, s.floor
) t
LEFT JOIN (
    SELECT
        subject, zone, floor,
        array_agg(xy ORDER BY xy) AS xy, array_agg(sightings ORDER BY xy) AS sightings,
        array_agg(c.uploaders ORDER BY xy) AS uploaders,
        array_agg(first_seen ORDER BY xy) AS first_seen, array_agg(last_seen ORDER BY xy) AS last_seen,
        count(*) AS position_count, sum(sightings) AS sighting_count
    FROM folded_position
    JOIN (
        SELECT subject, zone, floor, (pair >> 32)::int AS xy, count(*)::int AS uploaders
        FROM folded_seen_by
        GROUP BY subject, zone, floor, pair >> 32
    ) c USING (subject, zone, floor, xy)
    GROUP BY subject, zone, floor
) f USING (subject, zone, floor)
LEFT JOIN (
    SELECT subject, zone, floor, array_agg(pair ORDER BY pair) AS seen_by
    FROM folded_seen_by
    GROUP BY subject, zone, floor
) b USING (subject, zone, floor)
ORDER BY t.subject, t.zone, t.floor
ON CONFLICT (subject, zone, floor) DO UPDATE SET
    xy = excluded.xy, sightings = excluded.sightings, uploaders = excluded.uploaders,
    first_seen = excluded.first_seen, last_seen = excluded.last_seen, seen_by = excluded.seen_by,
    unplaced = p.unplaced + excluded.unplaced,
    position_count = excluded.position_count, sighting_count = excluded.sighting_count,
    last_seen_day = greatest(p.last_seen_day, excluded.last_seen_day)
