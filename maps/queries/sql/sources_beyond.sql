-- The first source beyond a number of them, if uploads have named so many. Reads: source. kind is null for all.
SELECT id
FROM source
WHERE kind <> 'kill' AND (%(kind)s::text IS NULL OR kind = %(kind)s::text)
ORDER BY id
OFFSET %(most)s LIMIT 1;
