-- A range of the pairs that habitat has for the one place of chunk, with the last those without a position.
-- Reads touched_habitat, chunk, piece, habitat.
COPY (
    SELECT
        substring(p.seen_by FROM (8 * r.begin + 1)::int FOR (8 * r.pairs)::int),
        substring(p.seen_when FROM (12 * r.begin + 1)::int FOR (12 * r.pairs)::int),
        CASE WHEN r.is_last THEN p.unplaced_by ELSE ''::bytea END
    FROM piece r
    CROSS JOIN chunk c
    JOIN touched_habitat t ON t.habitat_no = c.first
    JOIN habitat p USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
