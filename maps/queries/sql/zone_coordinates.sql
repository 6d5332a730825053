-- Return the packed coordinates of all subjects on one floor of a zone, with their sightings.
-- Reads: habitat.
SELECT p.xy, p.sightings
FROM habitat p
WHERE p.zone = %(zone)s AND p.floor = %(floor)s;
