-- The uploads to put back to work, until the session ends. Filled in the order of requeued's key.
CREATE TEMPORARY TABLE IF NOT EXISTS requeue_selection (locale varchar(4) NOT NULL, upload uuid NOT NULL)
