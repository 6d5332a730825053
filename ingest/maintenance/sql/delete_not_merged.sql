-- Delete staged uploads that are not merged any more. Reads ledger; writes staged_upload. Under the fold lock.
DELETE FROM pg_temp.staged_upload u WHERE NOT EXISTS (SELECT FROM ledger l WHERE l.content_hash = u.content_hash)
