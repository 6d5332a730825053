-- Keep the merged entries of one piece of a large habitat until all pieces are merged. Writes merged_pairs.
COPY merged_pairs (piece, seen_by, seen_when) FROM STDIN (FORMAT binary)
