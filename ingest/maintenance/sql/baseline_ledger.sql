-- Take over from the live ledger when uploads were merged and what they contributed.
-- Reads public.ledger; writes baseline.ledger. Parameter: uploads, those just folded.
UPDATE baseline.ledger b
SET merged_at = l.merged_at, contribution = l.contribution
FROM public.ledger l
WHERE b.upload = ANY (%(uploads)s) AND l.content_hash = b.content_hash
