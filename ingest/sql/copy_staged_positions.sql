-- The staged coordinates of a chunk of touched places. Reads touched, chunk, staged_position.
COPY (
    SELECT t.place, s.sightings
    FROM chunk c
    JOIN touched t ON t.place BETWEEN c.first AND c.last
    JOIN staged_position s USING (subject, zone, floor)
) TO STDOUT (FORMAT binary)
