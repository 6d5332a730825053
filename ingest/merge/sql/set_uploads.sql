-- The uploads that a set of hot tables holds (identifiers: its schema).
-- Reads staged_upload.
SELECT DISTINCT upload FROM {0}.staged_upload
