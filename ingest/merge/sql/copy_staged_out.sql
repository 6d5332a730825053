-- The staged sightings of a chunk of touched habitats. Reads chunk, staged_row, staged_position.
COPY (
    SELECT r.habitat_no, s.sightings
    FROM chunk c
    JOIN staged_row r ON r.habitat_no BETWEEN c.first AND c.last
    JOIN staged_position s ON s.ctid = r.staged
) TO STDOUT (FORMAT binary)
