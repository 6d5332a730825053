-- Return how many item names an import would add, change and leave as they are.
-- Reads: imported_item (the import's temporary table), item.
SELECT
    count(*) FILTER (WHERE i.id IS NULL) AS added,
    count(*) FILTER (WHERE i.name <> n.name) AS changed,
    count(*) FILTER (WHERE i.name = n.name) AS unchanged
FROM imported_item n
LEFT JOIN item i ON i.id = n.id;
