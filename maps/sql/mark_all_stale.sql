-- Mark the documents of all zones. Reads: zone. Writes and locks: stale_document.
INSERT INTO stale_document (zone)
SELECT id FROM zone ORDER BY id
ON CONFLICT (zone) DO UPDATE SET zone = excluded.zone;
