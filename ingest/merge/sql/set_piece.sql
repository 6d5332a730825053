-- Set the piece of a large habitat that is read now: COPY takes no parameters. Parameters: begin, pairs, is_last.
TRUNCATE piece;
INSERT INTO piece VALUES (%(begin)s, %(pairs)s, %(is_last)s)
