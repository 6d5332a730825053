-- Return where sources that readers see as one were found or looted, one row per zone and floor, the most lootings first.
-- Reads: loot, habitat (by subject_habitat), zone.
SELECT
    z.id, z.name, found.floor,
    COALESCE(found.positions, 0) AS positions,
    COALESCE(found.sightings, 0) AS sightings,
    COALESCE(found.unplaced, 0) AS unplaced,
    COALESCE(found.lootings, 0) AS lootings
FROM (
    SELECT zone, floor, seen.positions, seen.sightings, seen.unplaced, looted.lootings
    FROM (
        SELECT l.zone, l.floor, sum(l.lootings)::bigint AS lootings
        FROM loot l
        WHERE l.source = ANY (%(sources)s::int[])
        GROUP BY l.zone, l.floor
    ) AS looted
    FULL JOIN subject_habitat(ARRAY(SELECT -u.id::bigint FROM unnest(%(sources)s::int[]) AS u (id))) AS seen
        USING (zone, floor)
) AS found
JOIN zone z ON z.id = found.zone
ORDER BY lootings DESC, sightings DESC, z.name COLLATE name_order, z.id, found.floor;
