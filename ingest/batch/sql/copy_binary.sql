-- Fill a hot table from binary rows in the order of its columns (identifiers: schema, table).
COPY {0}.{1} FROM STDIN (FORMAT binary)
