-- Fold the staged lootings and drops into loot and item_drop.
-- Reads staged_loot, staged_drop; writes loot, item_drop, contribution. Under the locale's fold lock.
INSERT INTO contribution (no, new_drops)
SELECT first_no, count(*)
FROM (SELECT source, item, min(no) AS first_no FROM staged_drop GROUP BY source, item) s
WHERE NOT EXISTS (SELECT FROM item_drop d WHERE d.source = s.source AND d.item = s.item)
GROUP BY first_no;

INSERT INTO loot AS l (source, zone, floor, difficulty, lootings, money_lootings, copper)
SELECT source, zone, floor, difficulty, sum(lootings), sum(money_lootings), least(sum(copper), 9223372036854775807)
FROM staged_loot
GROUP BY source, zone, floor, difficulty
ORDER BY source, zone, floor, difficulty COLLATE "C"
ON CONFLICT (source, zone, floor, difficulty) DO UPDATE SET
    lootings = l.lootings + excluded.lootings,
    money_lootings = l.money_lootings + excluded.money_lootings,
    -- More copper than a bigint holds stays at the maximum: one absurd upload must not stop the fold.
    copper = least(l.copper::numeric + excluded.copper, 9223372036854775807);

INSERT INTO item_drop AS d (source, item, zone, floor, difficulty, drops)
SELECT source, item, zone, floor, difficulty, sum(drops)
FROM staged_drop
GROUP BY source, item, zone, floor, difficulty
ORDER BY source, item, zone, floor, difficulty COLLATE "C"
ON CONFLICT (source, item, zone, floor, difficulty) DO UPDATE SET drops = d.drops + excluded.drops
