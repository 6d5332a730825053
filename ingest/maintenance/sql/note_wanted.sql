-- Note in which habitats something is subtracted. Reads staged_position; writes wanted_habitat.
INSERT INTO wanted_habitat SELECT DISTINCT subject, zone, floor FROM pg_temp.staged_position;
ANALYZE wanted_habitat
