-- Find the upload that has this content already; a rejected one does not count.
-- Reads ingest_upload. Parameters: locale, content_hash.
SELECT id FROM ingest_upload WHERE locale = %(locale)s AND content_hash = %(content_hash)s AND status <> 'rejected'
