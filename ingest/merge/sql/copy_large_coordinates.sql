-- The coordinates that habitat has for the one place of chunk, how many uploaders each has, and how many uploaders
-- saw it there without a position. Reads touched_habitat, chunk, habitat.
COPY (
    SELECT p.xy, p.uploaders, octet_length(p.unplaced_by) / 12
    FROM chunk c
    JOIN touched_habitat t ON t.habitat_no = c.first
    JOIN habitat p USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
