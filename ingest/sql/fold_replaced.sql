-- Take away the rows of presence that are being merged anew. Reads touched; writes presence. Parameters: first,
-- last (places).
DELETE FROM presence p
USING touched t
WHERE t.place BETWEEN %(first)s AND %(last)s
    AND p.subject = t.subject AND p.zone = t.zone AND p.floor = t.floor
