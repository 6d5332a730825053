-- Return the form of a text in which names are searched.
-- Reads: nothing.
SELECT search_key(%(text)s) AS key;
