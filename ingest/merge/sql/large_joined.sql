-- Put the pairs of a large place into its row, which was written without them. Reads touched_habitat, chunk, made_pairs;
-- writes habitat.
UPDATE habitat p
SET seen_by = m.seen_by, seen_when = m.seen_when
FROM (
    SELECT string_agg(seen_by, ''::bytea ORDER BY piece) AS seen_by, string_agg(seen_when, ''::bytea ORDER BY piece) AS seen_when
    FROM made_pairs
) m, touched_habitat t, chunk c
WHERE t.habitat_no = c.first AND p.subject = t.subject AND p.zone = t.zone AND p.floor = t.floor
