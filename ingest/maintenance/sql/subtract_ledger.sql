-- Delete subtracted contents from the ledger, in the transaction that subtracts their counts.
-- Reads staged_upload; writes ledger.
DELETE FROM ledger l USING staged_upload u WHERE l.content_hash = u.content_hash
