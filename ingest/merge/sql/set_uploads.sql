-- The uploads that staging tables hold (identifier: schema). Reads staged_upload.
SELECT DISTINCT upload FROM {0}.staged_upload
