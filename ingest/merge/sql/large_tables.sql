-- Create working tables for a large habitat: the piece that is read now, and the merged entries of earlier pieces.
CREATE TEMPORARY TABLE IF NOT EXISTS piece (begin bigint, pairs bigint, is_last bool) ON COMMIT DROP;
CREATE TEMPORARY TABLE IF NOT EXISTS merged_pairs (piece int, seen_by bytea, seen_when bytea) ON COMMIT DROP;
TRUNCATE merged_pairs
