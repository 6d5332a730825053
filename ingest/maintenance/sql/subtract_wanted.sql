-- Note down at which places something is subtracted. Reads staged_position; writes wanted.
INSERT INTO wanted SELECT DISTINCT subject, zone, floor FROM pg_temp.staged_position;
ANALYZE wanted
