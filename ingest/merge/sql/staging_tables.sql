-- Create the staging tables of one schema (identifier: schema). Interim: UNLOGGED, so a crash of PostgreSQL empties
-- them, and in the tablespace that default_tablespace names, which may be a RAM disk. Writes the schema.
-- `no` is a staged upload's number, from the sequence staging_no.
-- Autovacuum is off: a fold analyzes the tables itself, leaves nothing behind, and would wait a second for autovacuum.
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_upload (
    no int, upload uuid, content_hash bytea, uploader int, received_day int
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_creature (
    no int, creature bigint, name text, level_min smallint, level_max smallint, boss boolean,
    reaction smallint, first_day int
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
-- One row per batch and habitat. `sightings` packs xy, no and first_day of each sighting, four bytes each.
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_position (
    subject bigint, zone int, floor int, sightings bytea
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
-- Compression would cost more time than the space is worth.
ALTER TABLE {0}.staged_position ALTER COLUMN sightings SET STORAGE EXTERNAL;
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_loot (
    no int, source int, zone int, floor int, difficulty text, lootings bigint, money_lootings bigint, copper bigint
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false);
CREATE UNLOGGED TABLE IF NOT EXISTS {0}.staged_drop (
    no int, source int, zone int, floor int, difficulty text, item int, drops bigint
) WITH (autovacuum_enabled = false, toast.autovacuum_enabled = false)
