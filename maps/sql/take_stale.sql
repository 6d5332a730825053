-- Take the mark that has waited longest, if no other transaction holds it. Writes and locks: stale_document.
-- Marks are given and taken by key while others wait; the row stays locked until its document is written.
DELETE FROM stale_document
WHERE zone = (SELECT zone FROM stale_document ORDER BY since, zone LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING zone;
