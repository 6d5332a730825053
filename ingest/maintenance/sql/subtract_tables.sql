-- Create tables of this session for ambiguous days: uploads that remain, and the habitats that matter.
-- Reads the shape of staged_upload.
DROP TABLE IF EXISTS pg_temp.remaining_upload, pg_temp.wanted_habitat;
CREATE TEMPORARY TABLE remaining_upload (LIKE pg_temp.staged_upload);
CREATE TEMPORARY TABLE wanted_habitat (subject bigint, zone int, floor int)
