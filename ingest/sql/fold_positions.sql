-- Fold the staged coordinates into presence: unpack the touched rows, group old and new, pack again.
-- Reads staged_position, staged_upload, presence; writes presence, brought, folded_*. Under the fold lock.
-- Whole sets throughout; the caller forbids nested loops, as the planner can't know how long the arrays are.
CREATE TEMPORARY TABLE touched ON COMMIT DROP AS
SELECT s.subject, s.zone, s.floor, count(*) FILTER (WHERE s.xy < 0)::int AS unplaced, max(u.received_day) AS last_seen_day
FROM staged_position s JOIN staged_upload u USING (no)
GROUP BY s.subject, s.zone, s.floor;

INSERT INTO folded_seen_by
SELECT p.subject, p.zone, p.floor, pair
FROM touched t
JOIN presence p USING (subject, zone, floor)
CROSS JOIN LATERAL unnest(p.seen_by) AS pair
UNION
SELECT s.subject, s.zone, s.floor, s.xy::bigint << 32 | u.uploader
FROM staged_position s JOIN staged_upload u USING (no)
WHERE s.xy >= 0;

INSERT INTO folded_position
SELECT
    f.subject, f.zone, f.floor, f.xy, sum(f.sightings), sum(f.uploaders), min(f.first_seen), max(f.last_seen),
    CASE WHEN bool_or(f.known) THEN NULL ELSE min(f.no) END
FROM (
    SELECT
        p.subject, p.zone, p.floor, o.xy, o.sightings, 0 AS uploaders, o.first_seen, o.last_seen,
        true AS known, NULL::int AS no
    FROM touched t
    JOIN presence p USING (subject, zone, floor)
    CROSS JOIN LATERAL unnest(p.xy, p.sightings, p.first_seen, p.last_seen)
        AS o (xy, sightings, first_seen, last_seen)
    UNION ALL
    SELECT s.subject, s.zone, s.floor, s.xy, 1, 0, s.first_day, u.received_day, false, s.no
    FROM staged_position s JOIN staged_upload u USING (no)
    WHERE s.xy >= 0
    UNION ALL
    -- Each distinct pair of coordinate and uploader adds one uploader, and nothing else.
    SELECT subject, zone, floor, (pair >> 32)::int, 0, 1, NULL, NULL, false, NULL
    FROM folded_seen_by
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
FROM touched t
LEFT JOIN (
    -- Sorted once, for all arrays: the aggregates take the rows as they come.
    SELECT
        subject, zone, floor, array_agg(xy) AS xy, array_agg(sightings) AS sightings,
        array_agg(uploaders) AS uploaders, array_agg(first_seen) AS first_seen, array_agg(last_seen) AS last_seen,
        count(*) AS position_count, sum(sightings) AS sighting_count
    FROM (SELECT * FROM folded_position ORDER BY subject, zone, floor, xy) sorted
    GROUP BY subject, zone, floor
) f USING (subject, zone, floor)
LEFT JOIN (
    SELECT subject, zone, floor, array_agg(pair) AS seen_by
    FROM (SELECT * FROM folded_seen_by ORDER BY subject, zone, floor, pair) sorted
    GROUP BY subject, zone, floor
) b USING (subject, zone, floor)
ORDER BY t.subject, t.zone, t.floor
ON CONFLICT (subject, zone, floor) DO UPDATE SET
    xy = excluded.xy, sightings = excluded.sightings, uploaders = excluded.uploaders,
    first_seen = excluded.first_seen, last_seen = excluded.last_seen, seen_by = excluded.seen_by,
    unplaced = p.unplaced + excluded.unplaced,
    position_count = excluded.position_count, sighting_count = excluded.sighting_count,
    last_seen_day = greatest(p.last_seen_day, excluded.last_seen_day)
