-- Record uploads as merged.
-- Reads and writes ingest_upload. Compare-and-set: an upload whose status was changed otherwise meanwhile stays as it is.
-- Parameters, arrays of equal length: uploads, merged_at, contribution.
UPDATE ingest_upload u
SET status = 'merged', merged_at = m.merged_at, contribution = m.contribution, reason = '', lease_until = NULL,
    retry_at = NULL, quarantine_step = 0
FROM (
    -- Locked in the order of ids, like every change of many rows.
    SELECT m.id, m.merged_at, m.contribution
    FROM unnest(%(uploads)s::uuid[], %(merged_at)s::timestamptz[], %(contribution)s::jsonb[])
        AS m (id, merged_at, contribution)
    JOIN ingest_upload l ON l.id = m.id
    WHERE l.status IN ('queued', 'staged')
    ORDER BY m.id
    FOR UPDATE OF l
) m
WHERE u.id = m.id AND u.status IN ('queued', 'staged')
