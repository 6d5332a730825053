-- The tablespaces of the hot tables; '' is the database's own. Reads the catalog.
SELECT DISTINCT coalesce(t.spcname, '')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace
WHERE n.nspname IN ('hot_0', 'hot_1') AND c.relkind = 'r'
