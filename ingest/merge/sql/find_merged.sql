-- The ledger's entries of some contents. Reads ledger. Parameter: contents, their hashes.
SELECT content_hash, merged_at, contribution::json FROM ledger WHERE content_hash = ANY (%(contents)s)
