-- Creatures, items and zones whose names resemble a text, the best first; a shown creature comes once.
-- Reads: creature_name, named_creature, item, zone by their trigram indexes; for what was found creature,
-- source, loot and habitat, as dictionaries may hold names that nothing refers to.
-- key is the text's search_key; the column searched is a name's, with a blank before it, so that each of its words
-- begins behind one. begins_1 to begins_3 are LIKE patterns for the text's words. Without wide only names are looked
-- for that have such words, all of them; with wide those that hold or are like alike_1 to alike_3 (holds_1 to holds_3
-- as patterns), too. What there are no words for is null. The threshold of <%% is set by the caller; it also finds
-- names with a word that begins with a short one.
-- How alike texts are takes longest to tell. So it is told of no more than most names: those most likely to be the
-- best, and with wide so many of each kind, whichever they are.
-- The score: names that are the text (3), begin with it (2), have it where a word begins (1), or have all its words
-- where words begin (0.5), and how alike they are, which is less than the step to the next.
WITH named AS NOT MATERIALIZED (
    SELECT 'mob' AS kind, COALESCE(n.shown_as, c.creature) AS id, c.searched
    FROM creature_name c
    LEFT JOIN named_creature n ON n.id = c.creature
    UNION ALL
    SELECT 'mob', COALESCE(n.shown_as, n.id), n.searched FROM named_creature n
    UNION ALL
    SELECT 'item', i.id, i.searched FROM item i
    UNION ALL
    SELECT 'zone', z.id, z.searched FROM zone z
), beginning AS (
    SELECT n.kind, n.id, n.searched
    FROM named n
    WHERE NOT %(wide)s
        AND (%(begins_1)s IS NULL OR n.searched LIKE %(begins_1)s)
        AND (%(begins_2)s IS NULL OR n.searched LIKE %(begins_2)s)
        AND (%(begins_3)s IS NULL OR n.searched LIKE %(begins_3)s)
    ORDER BY
        n.searched LIKE %(starts)s DESC, n.searched LIKE %(word)s DESC, n.searched || ' ' LIKE %(whole)s DESC,
        length(n.searched), n.kind, n.id
    LIMIT %(most)s
), alike AS (
    SELECT b.kind, b.id, b.searched FROM beginning b
    UNION ALL
    SELECT a.kind, a.id, a.searched
    FROM (VALUES ('item'), ('mob'), ('zone')) AS k (kind)
    CROSS JOIN LATERAL (
        SELECT n.kind, n.id, n.searched
        FROM named n
        WHERE %(wide)s
            AND n.kind = k.kind
            -- As two sets of conditions that the indexes answer whole; conditions in pairs take one index scan each.
            AND (
                %(alike_1)s <%% n.searched
                AND (%(alike_2)s IS NULL OR %(alike_2)s <%% n.searched)
                AND (%(alike_3)s IS NULL OR %(alike_3)s <%% n.searched)
                OR n.searched LIKE %(holds_1)s
                AND (%(alike_2)s IS NULL OR n.searched LIKE %(holds_2)s)
                AND (%(alike_3)s IS NULL OR n.searched LIKE %(holds_3)s)
            )
        LIMIT %(most)s
    ) AS a
), scored AS (
    SELECT
        a.kind, a.id,
        max(
            CASE
                WHEN a.searched = ' ' || %(key)s THEN 3 + s.alike
                WHEN a.searched LIKE %(starts)s THEN 2 + s.alike
                WHEN a.searched LIKE %(word)s THEN 1 + s.alike
                WHEN (%(begins_1)s IS NULL OR a.searched LIKE %(begins_1)s)
                    AND (%(begins_2)s IS NULL OR a.searched LIKE %(begins_2)s)
                    AND (%(begins_3)s IS NULL OR a.searched LIKE %(begins_3)s) THEN 0.5 + s.alike / 2
                ELSE s.alike / 2
            END
        ) AS score
    FROM alike a
    CROSS JOIN LATERAL (
        -- OFFSET 0: it is told once, not wherever it is used.
        SELECT (word_similarity(%(key)s, a.searched) + similarity(%(key)s, a.searched)) / 2 AS alike OFFSET 0
    ) AS s
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
                EXISTS (SELECT FROM habitat p WHERE p.zone = s.id) OR EXISTS (SELECT FROM loot l WHERE l.zone = s.id)
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
