-- The least likeness of what <%% finds, until the transaction ends.
-- Reads: nothing.
SELECT set_config('pg_trgm.word_similarity_threshold', %(alike)s, true);
