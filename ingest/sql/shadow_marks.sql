-- Mark what must be published anew once the rebuilt tables are live: where the two differ, and no more.
-- Reads presence and named_creature of both schemas; writes rebuild.changed. Under the locale's fold lock.
INSERT INTO rebuild.changed (mob, zone)
WITH differing AS (
    SELECT subject, zone
    FROM public.presence o FULL JOIN rebuild.presence n USING (subject, zone, floor)
    WHERE subject > 0 AND o IS DISTINCT FROM n
    UNION
    SELECT p.subject, p.zone
    FROM public.named_creature o
    JOIN rebuild.named_creature n USING (id)
    JOIN rebuild.presence p ON p.subject = id
    WHERE o.shown_as IS DISTINCT FROM n.shown_as
)
SELECT DISTINCT m.mob, d.zone
FROM differing d
LEFT JOIN public.named_creature o ON o.id = d.subject
LEFT JOIN rebuild.named_creature n ON n.id = d.subject
CROSS JOIN LATERAL (VALUES (d.subject), (o.shown_as), (n.shown_as)) AS m (mob)
WHERE m.mob IS NOT NULL
