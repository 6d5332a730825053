-- The packed coordinates of everything seen on one floor of a zone, each with its sightings.
-- Reads: presence.
SELECT p.xy, p.sightings
FROM presence p
WHERE p.zone = %(zone)s AND p.floor = %(floor)s;
