-- The known entries of a chunk of touched habitats. Reads touched_habitat, chunk, habitat.
COPY (
    SELECT t.habitat_no, h.seen_by, h.seen_when, h.unplaced_by
    FROM chunk c
    JOIN touched_habitat t ON t.habitat_no BETWEEN c.first AND c.last
    JOIN habitat h USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
