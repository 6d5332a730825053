-- Queue merged or rejected uploads again, and claim them for one wake-up.
-- Reads and writes ingest_upload. Waits for nobody: rows that are locked, or in another status by now, are left out.
-- Parameters: uploads, claim, lease (interval).
WITH free AS (
    SELECT id
    FROM ingest_upload
    WHERE id = ANY (%(uploads)s) AND status IN ('merged', 'rejected') AND expired_at IS NULL
    ORDER BY id
    FOR UPDATE SKIP LOCKED
)
UPDATE ingest_upload u
SET status = 'queued', claimed_by = %(claim)s, lease_until = now() + %(lease)s, attempts = 0, retry_at = NULL,
    staged_at = NULL, merged_at = NULL, rejected_at = NULL, contribution = NULL, reason = '',
    -- An upload that was quarantined starts there again, at the first step.
    quarantine_step = least(quarantine_step, 1)
FROM free
WHERE u.id = free.id
RETURNING u.id
