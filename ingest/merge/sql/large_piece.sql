-- Say which pairs of the large place are read now: COPY takes no parameters. Parameters: begin, pairs, is_last.
TRUNCATE piece;
INSERT INTO piece VALUES (%(begin)s, %(pairs)s, %(is_last)s)
