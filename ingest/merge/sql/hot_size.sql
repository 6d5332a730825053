-- Bytes that the hot tables of this locale take, both sets together. Reads the catalog.
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('hot_0', 'hot_1') AND c.relkind = 'r'
