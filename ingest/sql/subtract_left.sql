-- Let the staged sightings be those of the uploads that are left. Reads left_upload, ledger, base.ledger; writes
-- staged_upload. What was carried over into base since it was read is told by base.
TRUNCATE pg_temp.staged_upload;
INSERT INTO pg_temp.staged_upload
SELECT l.*
FROM left_upload l JOIN public.ledger USING (content_hash)
WHERE NOT EXISTS (SELECT FROM base.ledger b WHERE b.content_hash = l.content_hash)
