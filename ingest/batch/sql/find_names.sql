-- The ids of names in a dictionary (identifiers: table, column of names).
-- Reads the table. Parameter: names.
SELECT {1}, id FROM {0} WHERE {1} = ANY (%(names)s)
