-- Touch a hot table (identifiers: schema, table): fails where it, or its file, is gone.
SELECT FROM {0}.{1} LIMIT 1
