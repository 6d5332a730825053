-- Enter the contents of a fold into the ledger, with the contribution of each. Rows of uploads follow the ledger.
-- Reads staged_upload, contribution; writes ledger. The last step before the commit.
INSERT INTO ledger (content_hash, upload, merged_at, contribution)
SELECT
    u.content_hash, u.upload, clock_timestamp(),
    jsonb_build_object(
        'new_mobs', coalesce(sum(b.new_mobs), 0),
        'new_positions', coalesce(sum(b.new_positions), 0),
        'confirmed_positions', coalesce(sum(b.positions), 0) - coalesce(sum(b.new_positions), 0),
        'new_drops', coalesce(sum(b.new_drops), 0)
    )
FROM staged_upload u LEFT JOIN contribution b USING (no)
GROUP BY u.content_hash, u.upload
RETURNING upload, merged_at, contribution::json
