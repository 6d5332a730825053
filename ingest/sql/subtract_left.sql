-- Let the staged sightings be those of the uploads that are left. Reads left_upload, ledger; writes staged_upload.
TRUNCATE pg_temp.staged_upload;
INSERT INTO pg_temp.staged_upload SELECT l.* FROM left_upload l JOIN ledger USING (content_hash)
