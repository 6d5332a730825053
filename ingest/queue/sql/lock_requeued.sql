-- Lock the next requeued uploads of a locale until the transaction ends, and return them.
-- Reads ingest_requeued; skips rows that another worker has locked. Parameters: locale, many.
SELECT upload
FROM ingest_requeued
WHERE locale = %(locale)s
ORDER BY upload
LIMIT %(many)s
FOR UPDATE SKIP LOCKED
