-- Take away the rows of habitat that are being merged anew. Reads touched_habitat, chunk; writes habitat.
DELETE FROM habitat p
USING touched_habitat t, chunk c
WHERE t.habitat_no BETWEEN c.first AND c.last
    AND p.subject = t.subject AND p.zone = t.zone AND p.floor = t.floor
