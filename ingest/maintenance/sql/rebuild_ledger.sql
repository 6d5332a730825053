-- Take over from the live ledger when uploads were merged and what they contributed.
-- Reads public.ledger; writes rebuild.ledger. Parameter: uploads, those just folded.
UPDATE rebuild.ledger r
SET merged_at = l.merged_at, contribution = l.contribution
FROM public.ledger l
WHERE r.upload = ANY (%(uploads)s) AND l.content_hash = r.content_hash
