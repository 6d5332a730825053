-- Creatures, items and zones whose names resemble a text, the best first; a shown creature comes once.
-- Reads: creature_name, named_creature, item, zone by their trigram indexes; for what was found creature,
-- source, loot and presence, as dictionaries may hold names that nothing refers to.
-- key is the text's search_key; starts, word and holds are LIKE patterns made of it. The threshold of <%% is
-- set by the caller; it also finds the names with a word that begins with a short key. The score counts whole
-- numbers for where the key stands and adds how alike the texts are. Without wide only names with a word that
-- begins with the key are looked for, which all score higher than any other and are found much faster.
WITH alike AS (
    SELECT 'mob' AS kind, COALESCE(n.shown_as, c.creature) AS id, search_key(c.name) AS found
    FROM creature_name c
    LEFT JOIN named_creature n ON n.id = c.creature
    WHERE search_key(c.name) LIKE %(starts)s OR search_key(c.name) LIKE %(word)s
        OR %(wide)s AND (search_key(c.name) LIKE %(holds)s OR %(key)s <%% search_key(c.name))
    UNION ALL
    SELECT 'mob', COALESCE(n.shown_as, n.id), search_key(n.name)
    FROM named_creature n
    WHERE search_key(n.name) LIKE %(starts)s OR search_key(n.name) LIKE %(word)s
        OR %(wide)s AND (search_key(n.name) LIKE %(holds)s OR %(key)s <%% search_key(n.name))
    UNION ALL
    SELECT 'item', i.id, search_key(i.name)
    FROM item i
    WHERE search_key(i.name) LIKE %(starts)s OR search_key(i.name) LIKE %(word)s
        OR %(wide)s AND (search_key(i.name) LIKE %(holds)s OR %(key)s <%% search_key(i.name))
    UNION ALL
    SELECT 'zone', z.id, search_key(z.name)
    FROM zone z
    WHERE search_key(z.name) LIKE %(starts)s OR search_key(z.name) LIKE %(word)s
        OR %(wide)s AND (search_key(z.name) LIKE %(holds)s OR %(key)s <%% search_key(z.name))
), scored AS (
    SELECT
        a.kind, a.id,
        max(
            CASE
                WHEN a.found = %(key)s THEN 3
                WHEN a.found LIKE %(starts)s THEN 2
                WHEN a.found LIKE %(word)s THEN 1
                ELSE 0
            END
            + (word_similarity(%(key)s, a.found) + similarity(%(key)s, a.found)) / 2
        ) AS score
    FROM alike a
    GROUP BY a.kind, a.id
), best AS (
    SELECT s.kind, s.id, s.score
    -- OFFSET 0 keeps the order: who is behind the first few is not looked up.
    FROM (SELECT * FROM scored ORDER BY score DESC, kind, id OFFSET 0) AS s
    WHERE CASE s.kind
            WHEN 'mob' THEN EXISTS (
                SELECT
                FROM mob_subjects(s.id) AS u
                WHERE EXISTS (SELECT FROM creature c WHERE c.id = u.subject)
                    OR EXISTS (SELECT FROM source o JOIN loot l ON l.source = o.id WHERE o.creature = u.subject)
            )
            WHEN 'zone' THEN
                EXISTS (SELECT FROM presence p WHERE p.zone = s.id) OR EXISTS (SELECT FROM loot l WHERE l.zone = s.id)
            ELSE true
        END
    LIMIT %(rows)s
)
SELECT
    b.kind, b.id,
    CASE b.kind
        WHEN 'mob' THEN mob_name(b.id)
        WHEN 'item' THEN (SELECT i.name FROM item i WHERE i.id = b.id)
        ELSE (SELECT z.name FROM zone z WHERE z.id = b.id)
    END AS name,
    round(b.score::numeric, 4)::float8 AS score
FROM best b
ORDER BY b.score DESC, b.kind, b.id;
