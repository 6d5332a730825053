-- Take some changed counts, but none that a running fold has locked. Writes and locks: changed_count.
WITH free AS (
    SELECT kind, number FROM changed_count ORDER BY kind, number LIMIT %(rows)s FOR UPDATE SKIP LOCKED
)
DELETE FROM changed_count r USING free f WHERE r.kind = f.kind AND r.number = f.number
RETURNING r.kind, r.number;
