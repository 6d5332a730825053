-- Note down which items get another name by an import, before it writes them, so that documents with them are made anew.
-- Reads: imported_item (the import's temporary table), item. Writes: changed_count. Locks: the rows it writes.
INSERT INTO changed_count (kind, number)
SELECT 'item', n.id
FROM imported_item n
LEFT JOIN item i ON i.id = n.id
WHERE i.name IS DISTINCT FROM n.name
ORDER BY 1, 2
ON CONFLICT (kind, number) DO UPDATE SET number = excluded.number;
