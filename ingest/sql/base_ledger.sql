-- Let base say of contents when they were merged and what they brought, as the live ledger does.
-- Reads public.ledger; writes base.ledger. Parameter: uploads, those just folded.
UPDATE base.ledger b
SET merged_at = l.merged_at, brought = l.brought
FROM public.ledger l
WHERE b.upload = ANY (%(uploads)s) AND l.content_hash = b.content_hash
