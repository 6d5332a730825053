-- Claim the longest waiting uploads of a locale for one wake-up.
-- Reads and writes ingest_upload; locks the claimed rows only, and skips those another claim is taking.
-- Times are the database's: workers' clocks may differ. One much further off than any lease or pause lasts
-- was written before the clock was set back, and would otherwise hold an upload for as long. (Much: now() is
-- when this transaction began, and a claim that is being skipped may have begun later.)
-- The last try that an upload gets with the others notes in advance that it is tried apart from them next
-- (`ingest.queue.quarantine`): should it kill the worker, nobody is left to say so.
-- Parameters: locale, claim, lease, max_backoff (intervals), max_uploads, max_bytes, apart_after (attempts).
WITH waiting AS (
    SELECT id, size_bytes, received_at
    FROM ingest_upload
    WHERE locale = %(locale)s
        AND status = 'queued'
        AND quarantine_step = 0
        AND (retry_at IS NULL OR retry_at <= now() OR retry_at > now() + 2 * %(max_backoff)s)
        -- A wake-up that comes again had its worker die: its claims are its own.
        AND (
            lease_until IS NULL
            OR lease_until <= now()
            OR lease_until > now() + 2 * %(lease)s
            OR claimed_by = %(claim)s
        )
    ORDER BY received_at, id
    LIMIT %(max_uploads)s
    FOR UPDATE SKIP LOCKED
), summed AS (
    SELECT id, row_number() OVER longest AS place, sum(size_bytes) OVER longest AS bytes
    FROM waiting
    WINDOW longest AS (ORDER BY received_at, id)
)
UPDATE ingest_upload u
SET claimed_by = %(claim)s, lease_until = now() + %(lease)s, attempts = least(u.attempts + 1, 32767),
    quarantine_step = CASE WHEN u.attempts + 1 >= %(apart_after)s THEN 1 ELSE 0 END
FROM summed s
WHERE u.id = s.id AND (s.place = 1 OR s.bytes <= %(max_bytes)s)
RETURNING u.id
