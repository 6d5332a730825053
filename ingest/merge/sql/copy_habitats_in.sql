-- Write merged habitats, after delete_chunk.sql has deleted the old rows. Writes habitat.
COPY habitat (
    subject, zone, floor, xy, sightings, uploaders, first_seen, last_seen, seen_by, seen_when, unplaced_by,
    unplaced, position_count, sighting_count, last_seen_day
) FROM STDIN (FORMAT binary)
