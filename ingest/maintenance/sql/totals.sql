-- What the merged tables add up to: creatures, sightings and positions of creatures, positions of other sources,
-- lootings, drops. Packed rows carry their own sums, so no array is unpacked.
SELECT
    (SELECT count(*) FROM creature),
    coalesce(sum(sighting_count) FILTER (WHERE subject > 0), 0)::bigint,
    coalesce(sum(position_count) FILTER (WHERE subject > 0), 0)::bigint,
    coalesce(sum(position_count) FILTER (WHERE subject < 0), 0)::bigint,
    (SELECT coalesce(sum(lootings), 0)::bigint FROM loot),
    (SELECT coalesce(sum(drops), 0)::bigint FROM item_drop)
FROM habitat
