-- Read from a table (identifiers: schema, table): fails if it, or its file, is gone.
SELECT FROM {0}.{1} LIMIT 1
