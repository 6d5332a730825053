-- Note which items an import renames, before it writes the names, so that files containing them are built again.
-- Reads: imported_item (the import's temporary table), item. Writes: changed_count. Locks: the rows it writes.
INSERT INTO changed_count (kind, number)
SELECT 'item', n.id
FROM imported_item n
LEFT JOIN item i ON i.id = n.id
WHERE i.name IS DISTINCT FROM n.name
ORDER BY 1, 2
ON CONFLICT (kind, number) DO UPDATE SET number = excluded.number;
