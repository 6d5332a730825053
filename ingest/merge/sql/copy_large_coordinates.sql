-- The one habitat of a chunk: its coordinates, how many uploaders saw each, and how many saw it without a position.
-- Reads touched_habitat, chunk, habitat.
COPY (
    SELECT h.xy, h.uploaders, octet_length(h.unplaced_by) / 12
    FROM chunk c
    JOIN touched_habitat t ON t.habitat_no = c.first
    JOIN habitat h USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
