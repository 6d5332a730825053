-- The tables that a batch is copied into. Interim: they live as long as the connection, are emptied at
-- every commit, and are seen by nobody else.
CREATE TEMPORARY TABLE IF NOT EXISTS staged_upload (
    no int, upload uuid, content_hash bytea, uploader int, received_day int
) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS staged_creature (
    no int, creature bigint, name text, level_min smallint, level_max smallint, boss boolean,
    reaction smallint, first_day int
) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS staged_position (
    no int, subject bigint, zone int, floor int, xy int, first_day int
) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS staged_loot (
    no int, source int, zone int, floor int, difficulty text, lootings bigint, money_lootings bigint, copper bigint
) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS staged_drop (
    no int, source int, zone int, floor int, difficulty text, item int, drops bigint
) ON COMMIT DELETE ROWS;
-- What an upload brought, filled while it is folded: the smallest `no` of a batch brings what is new.
CREATE TEMPORARY TABLE IF NOT EXISTS brought (
    no int, new_mobs int, new_positions int, positions int, new_drops int
) ON COMMIT DELETE ROWS;
-- Every coordinate of the touched places, old and new, grouped.
CREATE TEMPORARY TABLE IF NOT EXISTS folded_position (
    subject bigint, zone int, floor int, xy int, sightings int, first_seen int, last_seen int,
    first_no int
) ON COMMIT DELETE ROWS;
CREATE TEMPORARY TABLE IF NOT EXISTS folded_seen_by (
    subject bigint, zone int, floor int, pair bigint
) ON COMMIT DELETE ROWS;
-- Names whose owner among the creatures may have changed.
CREATE TEMPORARY TABLE IF NOT EXISTS touched_name (name text) ON COMMIT DELETE ROWS
