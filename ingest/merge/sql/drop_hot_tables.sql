-- Drop the hot tables of one set (identifiers: its schema), also where their files are gone.
-- Writes the schema; takes the tables' strongest locks. Whatever they held is in the spool.
DROP TABLE IF EXISTS
    {0}.staged_upload, {0}.staged_creature, {0}.staged_position, {0}.staged_loot, {0}.staged_drop
