-- Join the merged pieces of a large habitat and write them into its row, which was written without them.
-- Reads touched_habitat, chunk, merged_pairs; writes habitat.
UPDATE habitat h
SET seen_by = m.seen_by, seen_when = m.seen_when
FROM (
    SELECT string_agg(seen_by, ''::bytea ORDER BY piece) AS seen_by, string_agg(seen_when, ''::bytea ORDER BY piece) AS seen_when
    FROM merged_pairs
) m, touched_habitat t, chunk c
WHERE t.habitat_no = c.first AND h.subject = t.subject AND h.zone = t.zone AND h.floor = t.floor
