-- Tell whether a document may be older than the tables. Where a creature is, is marked with its spawn points: until
-- those are estimated anew, the change itself tells. Reads: changed_count, stale_file, stale_spawns, named_creature.
SELECT EXISTS (SELECT FROM changed_count)
    OR EXISTS (SELECT FROM stale_file WHERE kind = %(kind)s AND number = %(number)s)
    OR %(kind)s = 'mob-places'
        AND EXISTS (SELECT FROM mob_subjects(%(number)s) AS u JOIN stale_spawns c ON c.mob = u.subject);
