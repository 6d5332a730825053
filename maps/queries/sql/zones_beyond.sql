-- The first zone beyond a number of them, if uploads have named so many. Reads: zone.
SELECT id FROM zone ORDER BY id OFFSET %(most)s LIMIT 1;
