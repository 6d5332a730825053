-- Return a row if uploads have named more zones than limit. Reads: zone.
SELECT id FROM zone ORDER BY id OFFSET %(limit)s LIMIT 1;
