-- Keep the sightings of some staged uploads in wanted habitats, and nothing else of these uploads. The sightings stay in
-- staged_position; without a row in staged_upload they are ignored, until stage_remaining.sql adds their uploads again.
-- Reads wanted_habitat; writes staged_upload, remaining_upload, staged_position. Parameter: uploads.
WITH moved AS (DELETE FROM pg_temp.staged_upload WHERE upload = ANY (%(uploads)s) RETURNING *)
INSERT INTO remaining_upload SELECT * FROM moved;
DELETE FROM pg_temp.staged_position s
WHERE NOT EXISTS (SELECT FROM wanted_habitat w WHERE (w.subject, w.zone, w.floor) = (s.subject, s.zone, s.floor))
