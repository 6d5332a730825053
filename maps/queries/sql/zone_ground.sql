-- The packed coordinates of everything seen on one floor of a zone, each with its sightings.
-- Reads: habitat.
SELECT p.xy, p.sightings
FROM habitat p
WHERE p.zone = %(zone)s AND p.floor = %(floor)s;
