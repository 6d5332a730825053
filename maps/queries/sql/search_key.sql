-- The form in which a text is searched.
-- Reads: nothing.
SELECT search_key(%(text)s) AS key;
