-- Fill a hot table from CSV in the order of its columns (identifiers: schema, table).
COPY {0}.{1} FROM STDIN (FORMAT csv)
