-- Take the marks that have waited longest of one kind, of which the longest waiting is, and those given last of
-- the kind of which the last given is; of equally old ones the kind named first. So none waits for good, and what is
-- uploaded now is not held up by a hundred thousand documents that another upload has made stale.
-- Marks that rest (since is yet to come) and those that another transaction holds are left. Writes and locks: stale_file.
-- Marks are given and taken by key while others wait; the rows stay locked until their documents are written.
WITH ends AS (
    SELECT k.kind, k.place, first_one.since AS oldest, last_one.latest AS newest
    FROM unnest(%(kinds)s::text[]) WITH ORDINALITY AS k (kind, place)
    CROSS JOIN LATERAL (
        SELECT s.since FROM stale_file s WHERE s.kind = k.kind AND s.since <= now() ORDER BY s.since LIMIT 1
    ) AS first_one
    CROSS JOIN LATERAL (
        SELECT s.latest FROM stale_file s WHERE s.kind = k.kind AND s.since <= now() ORDER BY s.latest DESC LIMIT 1
    ) AS last_one
), oldest AS (
    SELECT s.kind, s.number
    FROM stale_file s
    WHERE s.kind = (SELECT kind FROM ends ORDER BY oldest, place LIMIT 1) AND s.since <= now()
    ORDER BY s.since, s.number
    LIMIT %(rows)s
    FOR UPDATE SKIP LOCKED
), newest AS (
    SELECT s.kind, s.number
    FROM stale_file s
    WHERE s.kind = (SELECT kind FROM ends ORDER BY newest DESC, place LIMIT 1) AND s.since <= now()
    ORDER BY s.latest DESC, s.number
    LIMIT %(rows)s
    FOR UPDATE SKIP LOCKED
), free AS (
    SELECT kind, number FROM oldest UNION SELECT kind, number FROM newest
)
DELETE FROM stale_file s USING free f WHERE s.kind = f.kind AND s.number = f.number
RETURNING s.kind, s.number;
