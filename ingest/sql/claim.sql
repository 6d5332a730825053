-- Claim the longest waiting uploads of a locale for one wake-up.
-- Reads and writes ingest_upload. Locks the claimed rows only, and skips those that another claim is locking.
-- Parameters: locale, claim, lease and longest_pause (intervals), max_uploads, max_bytes, tries_with_others.
--
-- Times are the database's, as workers' clocks may differ. A time much further ahead than any lease or pause lasts was
-- written before the clock was set back, and counts for nothing. (Much: now() is the begin of this transaction, and a
-- claim that is skipped here may have begun later.)
-- The last try together with others puts the upload into quarantine in advance (`ingest.queue.quarantine`): should it
-- kill the worker, nobody is left to do so.
WITH waiting AS (
    SELECT id, size_bytes, received_at
    FROM ingest_upload
    WHERE locale = %(locale)s
        AND status = 'queued'
        AND quarantine_step = 0
        AND (retry_at IS NULL OR retry_at <= now() OR retry_at > now() + 2 * %(longest_pause)s)
        -- A wake-up that is delivered again had its worker die: its claims are its own.
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
    SELECT id, row_number() OVER longest AS position, sum(size_bytes) OVER longest AS bytes
    FROM waiting
    WINDOW longest AS (ORDER BY received_at, id)
)
UPDATE ingest_upload u
SET claimed_by = %(claim)s, lease_until = now() + %(lease)s, attempts = least(u.attempts + 1, 32767),
    quarantine_step = CASE WHEN u.attempts + 1 >= %(tries_with_others)s THEN 1 ELSE 0 END
FROM summed s
WHERE u.id = s.id AND (s.position = 1 OR s.bytes <= %(max_bytes)s)
RETURNING u.id
