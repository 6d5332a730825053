-- Those of some uploads that are in the hot tables, in either set. Parameter: uploads.
-- Reads hot_0.staged_upload, hot_1.staged_upload.
SELECT upload FROM hot_0.staged_upload WHERE upload = ANY (%(uploads)s)
UNION
SELECT upload FROM hot_1.staged_upload WHERE upload = ANY (%(uploads)s)
