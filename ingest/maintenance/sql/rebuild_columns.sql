-- The columns of a table with their types, as one text, to compare two tables. Reads the catalog.
-- Parameter: table, with its schema.
SELECT coalesce(string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum), '')
FROM pg_attribute
WHERE attrelid = to_regclass(%(table)s) AND attnum > 0 AND NOT attisdropped
