-- Put the selected uploads back to work, in one go.
-- Reads requeue_selection; writes ingest_requeued in the order of its key, so that two commands at once wait for
-- each other and never in a circle. It may wait for a worker that is just taking the same row, for a moment; such
-- workers wait for nobody. What is there already stays: twice is once.
INSERT INTO ingest_requeued (locale, upload)
SELECT locale, upload FROM requeue_selection
ORDER BY locale, upload
ON CONFLICT DO NOTHING
