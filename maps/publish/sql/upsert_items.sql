-- Write imported item names. Rows that would not change are not written.
-- Reads: imported_item (the import's temporary table). Writes: item. Locks: the rows it writes.
INSERT INTO item (id, name)
SELECT n.id, n.name
FROM imported_item n
ON CONFLICT (id) DO UPDATE SET name = excluded.name
WHERE item.name <> excluded.name;
