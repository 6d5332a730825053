-- The indexes of a table: for each its constraint's name and definition, or the statement that creates it.
-- Reads the catalog. Parameter: table.
SELECT con.conname, pg_get_constraintdef(con.oid), pg_get_indexdef(i.indexrelid)
FROM pg_index i
LEFT JOIN pg_constraint con ON con.conindid = i.indexrelid AND con.conrelid = i.indrelid
WHERE i.indrelid = to_regclass('public.' || quote_ident(%(table)s))
ORDER BY i.indexrelid
