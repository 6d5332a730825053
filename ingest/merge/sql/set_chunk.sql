-- Set the chunk that is merged now: COPY takes no parameters. Parameters: first, last (numbers of touched habitats).
CREATE TEMPORARY TABLE IF NOT EXISTS chunk (first int, last int) ON COMMIT DROP;
TRUNCATE chunk;
INSERT INTO chunk VALUES (%(first)s, %(last)s);
ANALYZE chunk
