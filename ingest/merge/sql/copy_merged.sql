-- Write merged rows of habitat. In the fold's transaction, after fold_replaced.sql took the old ones away.
COPY habitat (
    subject, zone, floor, xy, sightings, uploaders, first_seen, last_seen, seen_by, seen_when, unplaced_by,
    unplaced, position_count, sighting_count, last_seen_day
) FROM STDIN (FORMAT binary)
