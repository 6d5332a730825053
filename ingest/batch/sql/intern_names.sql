-- Add names to a dictionary (identifiers: table, column of names).
-- Writes the table, in the order of the names: two workers with the same names wait, never in a circle.
-- Parameter: names, those known to be missing a moment ago.
INSERT INTO {0} ({1})
SELECT name FROM unnest(%(names)s::text[]) AS wanted (name)
ORDER BY name COLLATE "C"
ON CONFLICT DO NOTHING
