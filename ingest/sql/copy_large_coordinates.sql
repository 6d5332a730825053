-- The coordinates that presence has for the one place of chunk, how many uploaders each has, and how many uploaders
-- saw it there without a position. Reads touched, chunk, presence.
COPY (
    SELECT p.xy, p.uploaders, octet_length(p.unplaced_by) / 12
    FROM chunk c
    JOIN touched t ON t.place = c.first
    JOIN presence p USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
