-- Working tables for a large place: the piece that is read now, and the pairs of those that are made.
CREATE TEMPORARY TABLE IF NOT EXISTS piece (begin bigint, pairs bigint, is_last bool) ON COMMIT DROP;
CREATE TEMPORARY TABLE IF NOT EXISTS made_pairs (piece int, seen_by bytea, seen_when bytea) ON COMMIT DROP;
TRUNCATE made_pairs
