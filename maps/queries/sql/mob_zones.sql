-- Return the zones and floors in which a creature was seen, those with the most sightings first.
-- Reads: habitat (by subject_habitat), zone.
SELECT z.id, z.name, p.floor, p.positions, p.sightings, p.unplaced
FROM subject_habitat(ARRAY(SELECT u.subject FROM mob_subjects(%(mob)s) AS u)) AS p
JOIN zone z ON z.id = p.zone
ORDER BY p.sightings DESC, z.name COLLATE name_order, z.id, p.floor;
