-- The entries that habitat has for a chunk of touched_habitat places. Reads touched_habitat, chunk, habitat.
COPY (
    SELECT t.habitat_no, p.seen_by, p.seen_when, p.unplaced_by
    FROM chunk c
    JOIN touched_habitat t ON t.habitat_no BETWEEN c.first AND c.last
    JOIN habitat p USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
