-- Working tables of a fold: gone with its transaction, seen by nobody else.
-- What an upload brought: the smallest `no` of a fold brings what is new.
CREATE TEMPORARY TABLE brought (
    no int, new_mobs int, new_positions int, positions int, new_drops int
) ON COMMIT DROP;
-- The places that staged positions touch, numbered in key order.
-- `entries` is at least how many they have, old and new: no more sightings than those.
CREATE TEMPORARY TABLE touched ON COMMIT DROP AS
SELECT
    row_number() OVER (ORDER BY s.subject, s.zone, s.floor)::int AS place, s.subject, s.zone, s.floor,
    s.entries + coalesce(p.sighting_count + p.unplaced, 0) AS entries
FROM (
    SELECT subject, zone, floor, sum(octet_length(sightings) / 12) AS entries FROM staged_position GROUP BY subject, zone, floor
) s
LEFT JOIN presence p USING (subject, zone, floor);
ANALYZE touched;
-- Names whose owner among the creatures may have changed.
CREATE TEMPORARY TABLE touched_name (name text) ON COMMIT DROP
