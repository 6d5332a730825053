-- Subtract the staged creatures from creature and creature_name: the reverse of fold_creatures.sql.
-- Reads staged_*; writes creature, creature_name, touched_name. Under the fold lock.
DELETE FROM creature c
USING (SELECT creature, count(DISTINCT no) AS uploads FROM staged_creature GROUP BY creature) u
WHERE c.id = u.creature AND c.uploads <= u.uploads;

UPDATE creature c
SET
    level_min = n.level_min, level_max = n.level_max, boss = n.boss, first_seen = n.first_seen, last_seen = n.last_seen,
    reports = n.reports, report_counts = n.times,
    reactions = ARRAY[
        c.reactions[1] - u.reactions[1], c.reactions[2] - u.reactions[2], c.reactions[3] - u.reactions[3],
        c.reactions[4] - u.reactions[4], c.reactions[5] - u.reactions[5], c.reactions[6] - u.reactions[6]
    ],
    uploads = c.uploads - u.uploads
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
            SELECT c.id AS creature, o.report, o.times
            FROM creature c CROSS JOIN LATERAL unnest(c.reports, c.report_counts) AS o (report, times)
            WHERE c.id IN (SELECT creature FROM staged_creature)
            UNION ALL
            SELECT creature, report, -1 FROM staged_report
        ) all_reports
        GROUP BY creature, report
        HAVING sum(times) > 0
    ) remaining_reports
    GROUP BY creature
) n
JOIN (
    SELECT
        creature, count(DISTINCT no) AS uploads,
        ARRAY[
            count(DISTINCT no) FILTER (WHERE reaction = 0), count(DISTINCT no) FILTER (WHERE reaction = 1),
            count(DISTINCT no) FILTER (WHERE reaction = 2), count(DISTINCT no) FILTER (WHERE reaction = 3),
            count(DISTINCT no) FILTER (WHERE reaction = 4), count(DISTINCT no) FILTER (WHERE reaction = 5)
        ] AS reactions
    FROM staged_creature
    GROUP BY creature
) u USING (creature)
WHERE c.id = n.creature;

UPDATE creature_name n
SET uploads = n.uploads - s.uploads
FROM (SELECT creature, name, count(DISTINCT no) AS uploads FROM staged_creature GROUP BY creature, name) s
WHERE n.creature = s.creature AND n.name = s.name;

DELETE FROM creature_name n
USING staged_creature s
WHERE n.creature = s.creature AND n.name = s.name AND n.uploads <= 0;

INSERT INTO touched_name
SELECT name FROM staged_creature
UNION
SELECT n.name FROM staged_loot l JOIN source s ON s.id = l.source JOIN named_creature n ON n.id = s.creature
