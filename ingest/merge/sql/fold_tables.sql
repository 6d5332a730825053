-- Working tables of a fold: gone with its transaction, seen by nobody else.
-- What an upload brought: the smallest `no` of a fold brings what is new.
CREATE TEMPORARY TABLE contribution (
    no int, new_mobs int, new_positions int, positions int, new_drops int
) ON COMMIT DROP;
-- The places that staged positions touch, numbered in key order.
-- `entries` is how many they have, old and new, if none is both: their sizes tell, so nothing is unpacked.
CREATE TEMPORARY TABLE touched_habitat ON COMMIT DROP AS
SELECT
    row_number() OVER (ORDER BY s.subject, s.zone, s.floor)::int AS habitat_no, s.subject, s.zone, s.floor,
    s.entries + coalesce(octet_length(p.seen_by) / 8 + octet_length(p.unplaced_by) / 12, 0) AS entries
FROM (
    SELECT subject, zone, floor, sum(octet_length(sightings) / 12) AS entries FROM staged_position GROUP BY subject, zone, floor
) s
LEFT JOIN habitat p USING (subject, zone, floor);
ANALYZE touched_habitat;
-- Where the rows of each place lie, so that none is looked at for another place.
CREATE TEMPORARY TABLE staged_row ON COMMIT DROP AS
SELECT t.habitat_no, s.ctid AS staged FROM touched_habitat t JOIN staged_position s USING (subject, zone, floor);
CREATE INDEX ON staged_row (habitat_no);
ANALYZE staged_row;
-- Names whose owner among the creatures may have changed.
CREATE TEMPORARY TABLE touched_name (name text) ON COMMIT DROP;
-- What each upload says of a creature's days and levels, one note however often it lists it. A note packs the first
-- day (from bit 38), the day received (21), the levels plus one (11 and 1, 0 for none) and whether it was a boss (0).
CREATE TEMPORARY TABLE staged_report ON COMMIT DROP AS
SELECT
    s.creature,
    (min(s.first_day)::bigint << 38) | (u.received_day::bigint << 21)
        | ((coalesce(min(s.level_min), -1) + 1)::bigint << 11) | ((coalesce(max(s.level_max), -1) + 1)::bigint << 1)
        | bool_or(s.boss)::int AS report
FROM staged_creature s JOIN staged_upload u USING (no)
GROUP BY s.creature, s.no, u.received_day
