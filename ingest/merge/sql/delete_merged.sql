-- Delete the staged uploads that must not count: those whose content the ledger holds, and all but one of equal content.
-- Reads ledger; writes staged_upload. Under the fold lock.
DELETE FROM staged_upload
WHERE no IN (
    SELECT s.no
    FROM (SELECT no, content_hash, row_number() OVER (PARTITION BY content_hash ORDER BY no) AS nth FROM staged_upload) s
    LEFT JOIN ledger l USING (content_hash)
    WHERE s.nth > 1 OR l.content_hash IS NOT NULL
)
