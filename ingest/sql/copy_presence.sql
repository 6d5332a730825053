-- The entries that presence has for a chunk of touched places. Reads touched, chunk, presence.
COPY (
    SELECT
        t.place, p.seen_by, p.seen_times, p.seen_first, p.seen_last, p.unplaced_by, p.unplaced_times, p.unplaced_last
    FROM chunk c
    JOIN touched t ON t.place BETWEEN c.first AND c.last
    JOIN presence p USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
