-- Take the marks that have waited longest of one kind, of which the longest waiting is; of equally old ones the kind
-- named first. Marks that rest (since is yet to come) and those that another transaction holds are left. Writes and locks: stale_document.
-- Marks are given and taken by key while others wait; the rows stay locked until their documents are written.
WITH oldest AS (
    SELECT k.kind
    FROM unnest(%(kinds)s::text[]) WITH ORDINALITY AS k (kind, place)
    CROSS JOIN LATERAL (
        SELECT s.since FROM stale_document s WHERE s.kind = k.kind AND s.since <= now() ORDER BY s.since LIMIT 1
    ) AS first_one
    ORDER BY first_one.since, k.place
    LIMIT 1
), free AS (
    SELECT s.kind, s.number
    FROM stale_document s
    WHERE s.kind = (SELECT kind FROM oldest) AND s.since <= now()
    ORDER BY s.since, s.number
    LIMIT %(rows)s
    FOR UPDATE SKIP LOCKED
)
DELETE FROM stale_document s USING free f WHERE s.kind = f.kind AND s.number = f.number
RETURNING s.kind, s.number;
