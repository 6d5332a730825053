-- Take away the rows of presence that are being merged anew. Reads touched, chunk; writes presence.
DELETE FROM presence p
USING touched t, chunk c
WHERE t.place BETWEEN c.first AND c.last
    AND p.subject = t.subject AND p.zone = t.zone AND p.floor = t.floor
