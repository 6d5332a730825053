-- The uploads that a command requeues, until its session ends. Filled in the order of ingest_requeued's key.
CREATE TEMPORARY TABLE IF NOT EXISTS requeue_selection (locale varchar(4) NOT NULL, upload uuid NOT NULL)
