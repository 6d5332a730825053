-- Create the working tables of a fold. They end with its transaction.
-- Reads staged_*, habitat; writes temporary tables.

-- What each upload contributes. What several staged uploads share is the contribution of the lowest `no`.
CREATE TEMPORARY TABLE contribution (
    no int, new_mobs int, new_positions int, positions int, new_drops int
) ON COMMIT DROP;

-- The habitats that staged positions touch, numbered in key order.
-- `entries` is an upper bound: known plus staged entries, as if none were both. It follows from the columns' lengths.
CREATE TEMPORARY TABLE touched_habitat ON COMMIT DROP AS
SELECT
    row_number() OVER (ORDER BY s.subject, s.zone, s.floor)::int AS habitat_no, s.subject, s.zone, s.floor,
    s.entries + coalesce(octet_length(h.seen_by) / 8 + octet_length(h.unplaced_by) / 12, 0) AS entries
FROM (
    SELECT subject, zone, floor, sum(octet_length(sightings) / 12) AS entries FROM staged_position GROUP BY subject, zone, floor
) s
LEFT JOIN habitat h USING (subject, zone, floor);
ANALYZE touched_habitat;

-- Where the staged rows of each habitat are, so that each row is read once.
CREATE TEMPORARY TABLE staged_row ON COMMIT DROP AS
SELECT t.habitat_no, s.ctid AS staged FROM touched_habitat t JOIN staged_position s USING (subject, zone, floor);
CREATE INDEX ON staged_row (habitat_no);
ANALYZE staged_row;

-- Names that may belong to another creature afterwards.
CREATE TEMPORARY TABLE touched_name (name text) ON COMMIT DROP;

-- One report per upload and creature, however often the upload lists the creature. A report packs the first day (from
-- bit 38), the day received (21), lowest and highest level plus one (11 and 1, 0: none) and whether it was a boss (0).
CREATE TEMPORARY TABLE staged_report ON COMMIT DROP AS
SELECT
    s.creature,
    (min(s.first_day)::bigint << 38) | (u.received_day::bigint << 21)
        | ((coalesce(min(s.level_min), -1) + 1)::bigint << 11) | ((coalesce(max(s.level_max), -1) + 1)::bigint << 1)
        | bool_or(s.boss)::int AS report
FROM staged_creature s JOIN staged_upload u USING (no)
GROUP BY s.creature, s.no, u.received_day
