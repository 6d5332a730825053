-- Return whether staging tables hold uploads (identifier: schema).
SELECT EXISTS (SELECT FROM {0}.staged_upload)
