-- Take hold of the next requeued uploads of a locale. Parameters: locale, many.
-- Reads ingest_requeued; locks the rows until the transaction ends, and skips those another worker holds.
SELECT upload
FROM ingest_requeued
WHERE locale = %(locale)s
ORDER BY upload
LIMIT %(many)s
FOR UPDATE SKIP LOCKED
