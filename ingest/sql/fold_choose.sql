-- Leave out what must not count: contents the ledger holds, and all but one staging of the same content.
-- Reads ledger; writes staged_upload. Under the locale's fold lock.
DELETE FROM staged_upload s
WHERE EXISTS (SELECT FROM ledger l WHERE l.content_hash = s.content_hash)
    OR EXISTS (SELECT FROM staged_upload o WHERE o.content_hash = s.content_hash AND o.no < s.no)
