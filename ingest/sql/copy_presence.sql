-- The entries that presence has for a chunk of touched places. Reads touched, chunk, presence.
COPY (
    SELECT t.place, p.seen_by, p.seen_when, p.unplaced_by
    FROM chunk c
    JOIN touched t ON t.place BETWEEN c.first AND c.last
    JOIN presence p USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
