-- Add the selected uploads to ingest_requeued, all at once. Rows that are there already stay.
-- Reads requeue_selection; writes ingest_requeued in key order, so that two commands at once wait for each other and
-- never in a circle. It may wait a moment for a worker that is deleting the same row; such workers wait for nobody.
INSERT INTO ingest_requeued (locale, upload)
SELECT locale, upload FROM requeue_selection
ORDER BY locale, upload
ON CONFLICT DO NOTHING
