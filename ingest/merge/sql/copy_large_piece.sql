-- A range of the entries of a chunk's one habitat; with the last range those without a position.
-- Reads touched_habitat, chunk, piece, habitat.
COPY (
    SELECT
        substring(h.seen_by FROM (8 * r.begin + 1)::int FOR (8 * r.pairs)::int),
        substring(h.seen_when FROM (12 * r.begin + 1)::int FOR (12 * r.pairs)::int),
        CASE WHEN r.is_last THEN h.unplaced_by ELSE ''::bytea END
    FROM piece r
    CROSS JOIN chunk c
    JOIN touched_habitat t ON t.habitat_no = c.first
    JOIN habitat h USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
