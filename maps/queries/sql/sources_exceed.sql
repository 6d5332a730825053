-- Return a row if uploads have named more sources than limit. Reads: source. kind is null for all.
SELECT id
FROM source
WHERE kind <> 'kill' AND (%(kind)s::text IS NULL OR kind = %(kind)s::text)
ORDER BY id
OFFSET %(limit)s LIMIT 1;
