-- Let the staged sightings be those of the uploads that are left, and find those that were staged last, too.
-- Reads left_upload, ledger, baseline.ledger, touched_habitat, staged_position; writes staged_upload, staged_row. What was carried
-- over into base since it was read is told by base.
TRUNCATE pg_temp.staged_upload;
INSERT INTO pg_temp.staged_upload
SELECT l.*
FROM left_upload l JOIN public.ledger USING (content_hash)
WHERE NOT EXISTS (SELECT FROM baseline.ledger b WHERE b.content_hash = l.content_hash);
TRUNCATE staged_row;
INSERT INTO staged_row
SELECT t.habitat_no, s.ctid FROM touched_habitat t JOIN pg_temp.staged_position s USING (subject, zone, floor)
