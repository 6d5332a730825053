-- Delete the habitats of a chunk, before their merged rows are written. Reads touched_habitat, chunk; writes habitat.
DELETE FROM habitat h
USING touched_habitat t, chunk c
WHERE t.habitat_no BETWEEN c.first AND c.last
    AND h.subject = t.subject AND h.zone = t.zone AND h.floor = t.floor
