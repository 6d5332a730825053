-- Return one item that has a name or is in any looting.
-- Reads: item, item_drop.
SELECT
    %(item)s AS id,
    COALESCE((SELECT i.name FROM item i WHERE i.id = %(item)s), %(item_word)s || ' ' || %(item)s) AS name
WHERE EXISTS (SELECT FROM item i WHERE i.id = %(item)s)
    OR EXISTS (SELECT FROM item_drop d WHERE d.item = %(item)s);
