-- Set the least word similarity that <%% finds, until the transaction ends.
-- Reads: nothing.
SELECT set_config('pg_trgm.word_similarity_threshold', %(similarity)s, true);
