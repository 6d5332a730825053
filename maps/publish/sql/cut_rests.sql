-- Let marks count from now that lie further ahead than any rest, as the clock was set back since they were written.
-- Those that another transaction holds are left for the next time. Writes and locks: stale_file.
UPDATE stale_file s
SET since = now()
FROM (
    SELECT kind, number
    FROM stale_file
    WHERE kind = ANY (%(kinds)s::text[]) AND since > now() + make_interval(secs => %(rest_s)s)
    FOR UPDATE SKIP LOCKED
) AS ahead
WHERE s.kind = ahead.kind AND s.number = ahead.number;
