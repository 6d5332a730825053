-- End delays that reach further into the future than possible: the clock was set back after they were written.
-- Rows that another transaction has locked are left for the next time. Writes and locks: stale_file.
UPDATE stale_file s
SET since = now()
FROM (
    SELECT kind, number
    FROM stale_file
    WHERE kind = ANY (%(kinds)s::text[]) AND since > now() + make_interval(secs => %(delay_s)s)
    FOR UPDATE SKIP LOCKED
) AS ahead
WHERE s.kind = ahead.kind AND s.number = ahead.number;
