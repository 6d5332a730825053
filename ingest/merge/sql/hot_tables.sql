-- Make the hot tables of one set (identifiers: its schema). Interim: UNLOGGED, so a crash of PostgreSQL
-- empties them, and in the tablespace that default_tablespace names, which may be a RAM disk.
-- Writes the schema. `no` is a staged upload's number, from the sequence staging_no.
-- Nothing for autovacuum: a fold analyzes them itself, leaves nothing behind, and would wait a second for it to let go.
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_upload (
    no int, upload uuid, content_hash bytea, uploader int, received_day int
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_creature (
    no int, creature bigint, name text, level_min smallint, level_max smallint, boss boolean,
    reaction smallint, first_day int
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
-- Packed: one row per batch and place; `sightings` holds xy, no and first_day of each, four bytes a number.
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_position (
    subject bigint, zone int, floor int, sightings bytea
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
-- Compressing them would cost more than the room.
ALTER TABLE {0}.staged_position ALTER COLUMN sightings SET STORAGE EXTERNAL;
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_loot (
    no int, source int, zone int, floor int, difficulty text, lootings bigint, money_lootings bigint, copper bigint
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_drop (
    no int, source int, zone int, floor int, difficulty text, item int, drops bigint
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false)
