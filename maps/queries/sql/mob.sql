-- Return one creature under the id that readers see, given that id or the id of a named creature shown as it.
-- Reads: named_creature, creature_name, creature (by mob_traits), source, loot.
WITH shown AS (
    SELECT COALESCE(
        (SELECT n.shown_as FROM named_creature n WHERE n.id = %(mob)s), %(mob)s::bigint
    ) AS id
)
SELECT
    shown.id, COALESCE(mob_name(shown.id), %(creature_word)s || ' ' || shown.id) AS name,
    traits.level_min AS min, traits.level_max AS max, COALESCE(traits.boss, false) AS boss, traits.reactions,
    traits.first_seen, traits.last_seen
FROM shown
CROSS JOIN LATERAL mob_traits(shown.id) AS traits
WHERE traits.first_seen IS NOT NULL
    OR EXISTS (
        SELECT
        FROM mob_subjects(shown.id) AS u
        JOIN source s ON s.creature = u.subject
        JOIN loot l ON l.source = s.id
    );
