-- Return creatures, items and zones whose names resemble a text, the best match first; a creature occurs once.
-- Reads: creature_name, named_creature, item, zone by their trigram indexes; creature, source, loot and habitat for the
-- matches, because the dictionaries may hold names that nothing refers to.
-- key is the text's search_key. The column searched is a name's search_key with a blank before it, so that each of its
-- words follows a blank. prefix_1 to prefix_3 are LIKE patterns for the text's words. Without fuzzy only names are
-- candidates that have words with all these prefixes. With fuzzy candidates are names that are similar to similar_1 to
-- similar_3 or contain them (contains_1 to contains_3 as patterns). Parameters without a word are null. The caller sets
-- the threshold of <%%, which for short words also finds names with a word that begins with them.
-- Computing the similarity is the slowest part. Therefore it is computed of at most `candidates` names: without fuzzy
-- of the most promising ones, with fuzzy of that many of each kind, in no order.
-- The score: 3 for names equal to the text, 2 if they begin with it, 1 if it is at the beginning of a word, 0.5 if they
-- have words with all prefixes, plus the similarity, which is less than the step to the next.
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
), prefix_match AS (
    SELECT n.kind, n.id, n.searched
    FROM named n
    WHERE NOT %(fuzzy)s
        AND (%(prefix_1)s IS NULL OR n.searched LIKE %(prefix_1)s)
        AND (%(prefix_2)s IS NULL OR n.searched LIKE %(prefix_2)s)
        AND (%(prefix_3)s IS NULL OR n.searched LIKE %(prefix_3)s)
    ORDER BY
        n.searched LIKE %(starts)s DESC, n.searched LIKE %(word_starts)s DESC, n.searched || ' ' LIKE %(word)s DESC,
        length(n.searched), n.kind, n.id
    LIMIT %(candidates)s
), candidate AS (
    SELECT b.kind, b.id, b.searched FROM prefix_match b
    UNION ALL
    SELECT a.kind, a.id, a.searched
    FROM (VALUES ('item'), ('mob'), ('zone')) AS k (kind)
    CROSS JOIN LATERAL (
        SELECT n.kind, n.id, n.searched
        FROM named n
        WHERE %(fuzzy)s
            AND n.kind = k.kind
            -- Two groups of conditions, each answered by one index scan. Other groupings take a scan per condition.
            AND (
                %(similar_1)s <%% n.searched
                AND (%(similar_2)s IS NULL OR %(similar_2)s <%% n.searched)
                AND (%(similar_3)s IS NULL OR %(similar_3)s <%% n.searched)
                OR n.searched LIKE %(contains_1)s
                AND (%(similar_2)s IS NULL OR n.searched LIKE %(contains_2)s)
                AND (%(similar_3)s IS NULL OR n.searched LIKE %(contains_3)s)
            )
        LIMIT %(candidates)s
    ) AS a
), scored AS (
    SELECT
        a.kind, a.id,
        max(
            CASE
                WHEN a.searched = ' ' || %(key)s THEN 3 + s.similarity
                WHEN a.searched LIKE %(starts)s THEN 2 + s.similarity
                WHEN a.searched LIKE %(word_starts)s THEN 1 + s.similarity
                WHEN (%(prefix_1)s IS NULL OR a.searched LIKE %(prefix_1)s)
                    AND (%(prefix_2)s IS NULL OR a.searched LIKE %(prefix_2)s)
                    AND (%(prefix_3)s IS NULL OR a.searched LIKE %(prefix_3)s) THEN 0.5 + s.similarity / 2
                ELSE s.similarity / 2
            END
        ) AS score
    FROM candidate a
    CROSS JOIN LATERAL (
        -- OFFSET 0: it is computed once, not at each use.
        SELECT (word_similarity(%(key)s, a.searched) + similarity(%(key)s, a.searched)) / 2 AS similarity OFFSET 0
    ) AS s
    GROUP BY a.kind, a.id
), best AS (
    SELECT s.kind, s.id, s.score
    -- OFFSET 0 keeps the order, so that only the first few are looked up.
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
