-- Forget the contents that were taken away. Reads staged_upload; writes ledger. In the same transaction as the counts.
DELETE FROM ledger l USING staged_upload u WHERE l.content_hash = u.content_hash
