-- Uploads that are merged live and not in the rebuild tables yet. Reads public.ledger, rebuild.ledger.
SELECT l.upload FROM public.ledger l
WHERE NOT EXISTS (SELECT FROM rebuild.ledger r WHERE r.content_hash = l.content_hash)
ORDER BY l.upload
