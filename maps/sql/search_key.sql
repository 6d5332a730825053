-- The form in which a text is searched, and the least likeness of what is found, until the transaction ends.
-- Reads: nothing.
SELECT search_key(%(text)s) AS key, set_config('pg_trgm.word_similarity_threshold', %(alike)s, true);
