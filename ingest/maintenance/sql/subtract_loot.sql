-- Subtract the staged lootings and drops from loot and item_drop.
-- Reads staged_loot, staged_drop; writes loot, item_drop. Under the fold lock.
UPDATE loot l
SET
    lootings = l.lootings - s.lootings, money_lootings = l.money_lootings - s.money_lootings,
    copper = l.copper - s.copper
FROM (
    SELECT
        source, zone, floor, difficulty,
        sum(lootings) AS lootings, sum(money_lootings) AS money_lootings, sum(copper) AS copper
    FROM staged_loot
    GROUP BY source, zone, floor, difficulty
) s
WHERE (l.source, l.zone, l.floor, l.difficulty) = (s.source, s.zone, s.floor, s.difficulty);

DELETE FROM loot l
USING staged_loot s
WHERE (l.source, l.zone, l.floor, l.difficulty) = (s.source, s.zone, s.floor, s.difficulty) AND l.lootings <= 0;

UPDATE item_drop d
SET drops = d.drops - s.drops
FROM (
    SELECT source, item, zone, floor, difficulty, sum(drops) AS drops
    FROM staged_drop
    GROUP BY source, item, zone, floor, difficulty
) s
WHERE (d.source, d.item, d.zone, d.floor, d.difficulty) = (s.source, s.item, s.zone, s.floor, s.difficulty);

DELETE FROM item_drop d
USING staged_drop s
WHERE (d.source, d.item, d.zone, d.floor, d.difficulty) = (s.source, s.item, s.zone, s.floor, s.difficulty)
    AND d.drops <= 0
