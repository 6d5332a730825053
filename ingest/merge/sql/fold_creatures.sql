-- Fold the staged creatures into creature and creature_name.
-- Reads staged_*; writes creature, creature_name, contribution, touched_name. Under the locale's fold lock.
INSERT INTO contribution (no, new_mobs)
SELECT first_no, count(*)
FROM (SELECT creature, min(no) AS first_no FROM staged_creature GROUP BY creature) s
WHERE NOT EXISTS (SELECT FROM creature c WHERE c.id = s.creature)
GROUP BY first_no;

-- Each distinct report of days and levels is kept with its count, so that it can be subtracted again.
INSERT INTO creature AS c (
    id, level_min, level_max, boss, reactions, uploads, first_seen, last_seen, reports, report_counts
)
SELECT
    n.creature, n.level_min, n.level_max, n.boss, u.reactions, u.uploads, n.first_seen, n.last_seen, n.reports, n.times
FROM (
    SELECT
        creature,
        min(nullif((report >> 11) & 1023, 0)) - 1 AS level_min, max(nullif((report >> 1) & 1023, 0)) - 1 AS level_max,
        bool_or((report & 1) = 1) AS boss,
        date '1970-01-01' + min(report >> 38)::int AS first_seen,
        date '1970-01-01' + max((report >> 21) & 131071)::int AS last_seen,
        array_agg(report ORDER BY report) AS reports, array_agg(times ORDER BY report) AS times
    FROM (
        SELECT creature, report, sum(times)::int AS times
        FROM (
            SELECT creature, report, 1 AS times FROM staged_report
            UNION ALL
            SELECT c.id, o.report, o.times
            FROM creature c CROSS JOIN LATERAL unnest(c.reports, c.report_counts) AS o (report, times)
            WHERE c.id IN (SELECT creature FROM staged_creature)
        ) all_reports
        GROUP BY creature, report
    ) distinct_reports
    GROUP BY creature
) n
JOIN (
    SELECT
        creature, count(DISTINCT no) AS uploads,
        -- Uploads, not elements: an upload may list a creature twice.
        ARRAY[
            count(DISTINCT no) FILTER (WHERE reaction = 0), count(DISTINCT no) FILTER (WHERE reaction = 1),
            count(DISTINCT no) FILTER (WHERE reaction = 2), count(DISTINCT no) FILTER (WHERE reaction = 3),
            count(DISTINCT no) FILTER (WHERE reaction = 4), count(DISTINCT no) FILTER (WHERE reaction = 5)
        ] AS reactions
    FROM staged_creature
    GROUP BY creature
) u USING (creature)
ORDER BY n.creature
ON CONFLICT (id) DO UPDATE SET
    level_min = excluded.level_min, level_max = excluded.level_max, boss = excluded.boss,
    first_seen = excluded.first_seen, last_seen = excluded.last_seen,
    reports = excluded.reports, report_counts = excluded.report_counts,
    reactions = ARRAY[
        c.reactions[1] + excluded.reactions[1], c.reactions[2] + excluded.reactions[2],
        c.reactions[3] + excluded.reactions[3], c.reactions[4] + excluded.reactions[4],
        c.reactions[5] + excluded.reactions[5], c.reactions[6] + excluded.reactions[6]
    ],
    uploads = c.uploads + excluded.uploads;

INSERT INTO creature_name AS n (creature, name, uploads)
SELECT creature, name, count(DISTINCT no)
FROM staged_creature
WHERE creature < 2147483648
GROUP BY creature, name
ORDER BY creature, name COLLATE "C"
ON CONFLICT (creature, name) DO UPDATE SET uploads = n.uploads + excluded.uploads;

INSERT INTO touched_name
SELECT name FROM staged_creature
UNION
-- A creature that only loot mentions, by its name (skinning).
SELECT n.name FROM staged_loot l JOIN source s ON s.id = l.source JOIN named_creature n ON n.id = s.creature
