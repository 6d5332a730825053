-- Which contents the ledger holds.
-- Reads ledger. Parameter: contents, their hashes.
SELECT content_hash, merged_at, contribution::json FROM ledger WHERE content_hash = ANY (%(contents)s)
