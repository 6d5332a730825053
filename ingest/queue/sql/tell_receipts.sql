-- Tell the receipts of uploads that they are merged.
-- Reads and writes ingest_upload. Parameters: arrays in step: uploads, merged_at, contribution.
-- Compare and set: whatever else became of an upload since it was claimed stands.
UPDATE ingest_upload u
SET status = 'merged', merged_at = m.merged_at, contribution = m.contribution, reason = '', lease_until = NULL, retry_at = NULL,
    quarantine_step = 0
FROM (
    -- Locked in the order of their ids, as everybody does who changes many rows.
    SELECT m.id, m.merged_at, m.contribution
    FROM unnest(%(uploads)s::uuid[], %(merged_at)s::timestamptz[], %(contribution)s::jsonb[]) AS m (id, merged_at, contribution)
    JOIN ingest_upload l ON l.id = m.id
    WHERE l.status IN ('queued', 'staged')
    ORDER BY m.id
    FOR UPDATE OF l
) m
WHERE u.id = m.id AND u.status IN ('queued', 'staged')
