-- Stage the remaining uploads in place of the subtracted ones, and find the rows that were staged last, too.
-- Reads remaining_upload, ledger, baseline.ledger, touched_habitat, staged_position; writes staged_upload, staged_row.
-- Uploads that were added to the baseline since they were read are left out: the baseline has their days.
TRUNCATE pg_temp.staged_upload;
INSERT INTO pg_temp.staged_upload
SELECT r.*
FROM remaining_upload r JOIN public.ledger USING (content_hash)
WHERE NOT EXISTS (SELECT FROM baseline.ledger b WHERE b.content_hash = r.content_hash);
TRUNCATE staged_row;
INSERT INTO staged_row
SELECT t.habitat_no, s.ctid FROM touched_habitat t JOIN pg_temp.staged_position s USING (subject, zone, floor)
