-- Return whether a published file may be older than the tables. A creature's habitats are invalidated together with its
-- spawn points; until these are estimated again, stale_spawns shows the change.
-- Reads: changed_count, stale_file, stale_spawns, named_creature.
SELECT EXISTS (SELECT FROM changed_count)
    OR EXISTS (SELECT FROM stale_file WHERE kind = %(kind)s AND number = %(number)s)
    OR %(kind)s = 'mob-habitats'
        AND EXISTS (SELECT FROM mob_subjects(%(number)s) AS u JOIN stale_spawns c ON c.mob = u.subject);
