-- Keep of some staged uploads (parameter: uploads) their sightings at the places that matter, and nothing else. They
-- stay in staged_position, where they count for nobody until `left_upload` says whose they are.
-- Reads wanted; writes staged_upload, left_upload, staged_position.
WITH moved AS (DELETE FROM pg_temp.staged_upload WHERE upload = ANY (%(uploads)s) RETURNING *)
INSERT INTO left_upload SELECT * FROM moved;
DELETE FROM pg_temp.staged_position s
WHERE NOT EXISTS (SELECT FROM wanted w WHERE (w.subject, w.zone, w.floor) = (s.subject, s.zone, s.floor))
