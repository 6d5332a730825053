-- Tell whether a document may be older than the tables. Where a creature is, is marked with its spawn points: until
-- those are estimated anew, the change itself tells. Reads: recounted, stale_document, changed, named_creature.
SELECT EXISTS (SELECT FROM recounted)
    OR EXISTS (SELECT FROM stale_document WHERE kind = %(kind)s AND number = %(number)s)
    OR %(kind)s = 'mob-places'
        AND EXISTS (SELECT FROM mob_subjects(%(number)s) AS u JOIN changed c ON c.mob = u.subject);
