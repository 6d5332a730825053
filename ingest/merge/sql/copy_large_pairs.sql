-- Keep the pairs of a piece of a large place until all are made. Writes made_pairs.
COPY made_pairs (piece, seen_by, seen_when) FROM STDIN (FORMAT binary)
