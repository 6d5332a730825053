-- Take the oldest stale files of one kind, the kind of the oldest file, and the latest ones of the kind of the latest
-- file; of equally old ones those of the kind that is named first. No file waits forever, and files that the newest
-- uploads change are not delayed by a hundred thousand files that another upload has invalidated.
-- Files whose delay has not ended are left, and so are rows that another transaction has locked. The taken rows stay
-- locked until their files are written. Writes and locks: stale_file.
WITH ends AS (
    SELECT k.kind, k.rank, first_one.since AS oldest, last_one.latest AS newest
    FROM unnest(%(kinds)s::text[]) WITH ORDINALITY AS k (kind, rank)
    CROSS JOIN LATERAL (
        SELECT s.since FROM stale_file s WHERE s.kind = k.kind AND s.since <= now() ORDER BY s.since LIMIT 1
    ) AS first_one
    CROSS JOIN LATERAL (
        SELECT s.latest FROM stale_file s WHERE s.kind = k.kind AND s.since <= now() ORDER BY s.latest DESC LIMIT 1
    ) AS last_one
), oldest AS (
    SELECT s.kind, s.number
    FROM stale_file s
    WHERE s.kind = (SELECT kind FROM ends ORDER BY oldest, rank LIMIT 1) AND s.since <= now()
    ORDER BY s.since, s.number
    LIMIT %(rows)s
    FOR UPDATE SKIP LOCKED
), newest AS (
    SELECT s.kind, s.number
    FROM stale_file s
    WHERE s.kind = (SELECT kind FROM ends ORDER BY newest DESC, rank LIMIT 1) AND s.since <= now()
    ORDER BY s.latest DESC, s.number
    LIMIT %(rows)s
    FOR UPDATE SKIP LOCKED
), free AS (
    SELECT kind, number FROM oldest UNION SELECT kind, number FROM newest
)
DELETE FROM stale_file s USING free f WHERE s.kind = f.kind AND s.number = f.number
RETURNING s.kind, s.number;
